'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { generatedIn } = require('../../../lib/explain/frame')

const blamed = { function: 'page', file: '/srv/app/page.js', line: 7, column: 3 }

/** @param {string} file @param {string} name */
const told = (file, name = 'eval') => {
  const code = { function: name, file, line: 14, column: 16 }
  const found = generatedIn([{ weightMs: 100, frames: [code, blamed] }], blamed)
  return [found?.function, found?.file, found?.line]
}

test('the code of a template is named by its file, else by its engine, without a line that nobody can open', () => {
  assert.deepEqual(told('"/srv/app/views/list.ejs"'), ['template views/list.ejs', '/srv/app/views/list.ejs', null])
  const engines = {
    handlebars: 'eval at createFunctionContext (/srv/app/node_modules/handlebars/dist/cjs/compiler.js:260:23)',
    eta: 'eval at compile (/srv/app/node_modules/eta/dist/index.cjs:141:10)',
    ejs: 'eval at compile (C:\\app\\node_modules\\ejs\\lib\\cjs\\ejs.js:613:18)',
    pug: 'eval at wrap (/srv/app/node_modules/pug-runtime/wrap.js:6:10)'
  }
  for (const [engine, file] of Object.entries(engines)) assert.deepEqual(told(file), [`${engine} template`, file, null])
})

test('other generated code keeps its name and its line', () => {
  for (const file of ['eval at formula (/srv/app/rules.js:3:1)', 'evalmachine.<anonymous>', 'eval at build (/srv/app/node_modules/ajv/dist/compile/index.js:1:1)']) {
    assert.deepEqual(told(file, 'validate10'), ['validate10', file, 14])
  }
})
