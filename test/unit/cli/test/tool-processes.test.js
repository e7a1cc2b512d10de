'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { isForkedByVitest, isOfTool } = require('../../../../lib/cli/test/tool-processes')

test('a process of a compiler, a linter or a launcher is recognized by its main script', () => {
  const tools = [
    '/app/node_modules/.bin/tsc',
    '/app/node_modules/typescript/bin/tsc',
    '/app/node_modules/.pnpm/eslint@9.1.0/node_modules/eslint/bin/eslint.js',
    'C:\\app\\node_modules\\c8\\bin\\c8.js',
    '/app/node_modules/.bin/vitest',
    '/app/node_modules/vitest/dist/workers/forks.js',
    '/app/node_modules/tinypool/dist/entry/process.js'
  ]
  assert.deepEqual(tools.filter((script) => !isOfTool(script)), [])
  const others = [
    undefined,
    '/app/test/tsc.js',
    '/app/node_modules/.bin/mocha',
    '/app/node_modules/.bin/tsc-watch',
    '/app/node_modules/eslint/node_modules/service/main.js',
    '/app/node_modules/eslint-plugin-own/test/rule.js',
    '/srv/eslint/test/a.test.js'
  ]
  assert.deepEqual(others.filter(isOfTool), [])
  assert.deepEqual(tools.map(isForkedByVitest), [false, false, false, false, false, true, true])
})
