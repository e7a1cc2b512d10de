'use strict'

// Loads in-memory.ts as ts-node and tsx do: what it is compiled to is on no disk, and Node.js is given a source map
// with it.
const fs = require('node:fs')
const Module = require('node:module')
const path = require('node:path')
const { ModuleKind, ScriptTarget, transpileModule } = require('typescript')

const FILE = path.join(__dirname, 'in-memory.ts')

process.setSourceMapsEnabled(true)
const { outputText } = transpileModule(fs.readFileSync(FILE, 'utf8'), {
  fileName: FILE,
  compilerOptions: {
    module: ModuleKind.CommonJS,
    target: ScriptTarget.ES2023,
    inlineSourceMap: true,
    removeComments: true
  }
})
const compiled = /** @type {any} */ (new Module(FILE, module))
// Node.js keeps the map for as long as the module.
require.cache[FILE] = compiled
compiled._compile(outputText, FILE)

exports.blocks = compiled.exports.blocks
