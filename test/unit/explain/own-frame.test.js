'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { listed } = require('../../../lib/explain/fold')
const { ownFrame } = require('../../../lib/explain/frame')
const { isOwnBlock } = require('../../../lib/tables/causes')
const { sentenceOf } = require('../../../lib/util/sentence')
const { makeRecord } = require('../../support/record')

const HOOK = path.join(__dirname, '..', '..', '..', 'lib', 'host', 'origin', 'async-hook.js')
const at = (/** @type {string | null} */ file, name = 'f') => ({ function: name, file, line: 1, column: 1 })
const native = at(null, 'delete')
const app = at('/srv/app/jobs.js', 'sum')

test('a stack in code of loopwatch, or in what it called of Node.js and V8, is its own', () => {
  assert.equal(ownFrame([native, at(HOOK, 'set'), at('node:internal/async_hooks'), app])?.function, 'set')
  assert.equal(ownFrame([at('node:fs'), app]), null)
  assert.equal(ownFrame([native]), null)
})

test('a function of the application that loopwatch calls is the application\'s, and so is a package', () => {
  assert.equal(ownFrame([app, at(HOOK, 'run')]), null)
  for (const name of ['x', 'blocked-at']) assert.equal(ownFrame([at(`/srv/node_modules/${name}/index.js`), at(HOOK, 'run')]), null)
})

test('a stack of the application has no function of loopwatch, and a block of loopwatch has all', () => {
  /** @param {import('../../../lib/types').Frame[]} frames */
  const stackOf = (frames) => ({ count: 1, weightMs: 5, lateMs: 0, works: [], frames })
  /** @param {import('../../../lib/types').Frame[][]} stacks */
  const names = (...stacks) => listed(stacks.map(stackOf)).map(({ frames }) => frames.map((frame) => frame.function))
  const caller = at('/srv/app/server.js', 'handle')
  assert.deepEqual(names([native, app, at(HOOK, 'run'), at(HOOK, '#work'), caller], [native, app, caller]), [['delete', 'sum', 'handle']])
  assert.deepEqual(names([native, at('node:internal/util', 'get'), at(HOOK, 'set'), at(HOOK, 'begin'), app]), [['sum']])
  const entered = { ...stackOf([at(HOOK, 'set'), app]), isEntered: /** @type {const} */ (true) }
  assert.equal(listed([entered])[0].isEntered, undefined, 'the application was not just entered')
  assert.deepEqual(listed([entered], true)[0].frames.map((frame) => frame.function), ['set', 'sum'])
})

test('a block that is mostly the agent\'s own is reported as such', () => {
  const { evidence } = makeRecord()
  const record = makeRecord({ durationMs: 100, evidence: { ...evidence, ownMs: 60 }, frame: { ...at(HOOK, 'set'), exact: true } })
  assert.equal(isOwnBlock(record), true)
  assert.match(sentenceOf(record), /^event loop was blocked for 100 ms by loopwatch itself: set \(.*async-hook\.js:1\)$/)
  assert.equal(isOwnBlock(makeRecord()), false)
})
