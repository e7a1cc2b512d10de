'use strict'

// Code that is on no disk as it runs: made by a package, without any function of the application on the stack, and
// compiled by a hook as babel-register has one, which keeps its source maps to itself. `here:` as in ../blocks.js.
const Module = require('node:module')
const fs = require('node:fs')
const path = require('node:path')
const { ModuleKind, ScriptTarget, transpileModule } = require('typescript')
const { moment } = require('../../target/channel')

const READINGS = 270000
const FILE = path.join(__dirname, 'tariffs.ts')

const readings = Array.from({ length: READINGS }, (_, id) => ({
  id,
  sensor: `sensor ${id % 97}`,
  value: id / 7,
  isValid: id % 5 > 0
}))
const reading = {
  type: 'object',
  properties: {
    id: { type: 'integer' }, sensor: { type: 'string' }, value: { type: 'number' }, isValid: { type: 'boolean' }
  }
}
const schema = {
  response: { 200: { type: 'object', properties: { readings: { type: 'array', items: reading } } } }
}

/** @param {string} file @returns {any} what it exports, compiled on its way from the disk to V8 */
function requireCompiled (file) {
  const compiler = /** @type {any} */ (Module)
  const { prototype: { _compile: compile }, _extensions: { '.ts': load } } = compiler
  compiler._extensions['.ts'] = (/** @type {any} */ module, /** @type {string} */ name) =>
    module._compile(fs.readFileSync(name, 'utf8'), name)
  compiler.prototype._compile = function (/** @type {string} */ source, /** @type {string} */ fileName) {
    const { outputText } = transpileModule(source, {
      fileName,
      compilerOptions: {
        module: ModuleKind.CommonJS, target: ScriptTarget.ES2023, inlineSourceMap: true, removeComments: true
      }
    })
    return compile.call(this, outputText, fileName)
  }
  const { sourceMapsEnabled } = process
  // in-memory.js enables them for itself.
  process.setSourceMapsEnabled(false)
  try {
    return require(file)
  } finally {
    process.setSourceMapsEnabled(sourceMapsEnabled)
    compiler.prototype._compile = compile
    if (load === undefined) delete compiler._extensions['.ts']
    else compiler._extensions['.ts'] = load
  }
}

exports.blocks = requireCompiled(FILE).blocks

/** @param {any} scope */
exports.mountFastify = (scope) => {
  const onSend = (/** @type {any} */ _, /** @type {any} */ __, /** @type {string} */ ___, /** @type {any} */ done) => {
    moment('ended', 'serializedByFastify')
    done(null, '{}')
  }
  scope.get('/:id/serializedByFastify', { schema, onSend }, async () => {
    await new Promise((resolve) => setImmediate(resolve))
    moment('began', 'serializedByFastify')
    return { readings } // here: serializedByFastify
  })
}
