'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { ownTime } = require('../../../lib/explain/own-time')
const { isOwnBlock } = require('../../../lib/tables/causes')
const { sentenceOf } = require('../../../lib/util/sentence')
const { makeRecord } = require('../../support/record')

const HOOK = path.join(__dirname, '..', '..', '..', 'lib', 'host', 'origin', 'async-hook.js')
const at = (/** @type {string | null} */ file, name = 'f') => ({ function: name, file, line: 1, column: 1 })
const native = at(null, 'delete')
const app = at('/srv/app/jobs.js', 'sum')

test('time below a frame of loopwatch is its own, with what it called of Node.js and V8', () => {
  const stacks = [
    { weightMs: 70, frames: [native, at(HOOK, 'set'), at('node:internal/async_hooks'), app] },
    { weightMs: 20, frames: [at('/srv/node_modules/blocked-at/index.js', 'init'), at(HOOK), app] },
    { weightMs: 10, frames: [at('node:fs'), app] }
  ]
  const { ownMs, frame } = ownTime(stacks, null)
  assert.deepEqual([ownMs, frame?.function], [90, 'set'])
})

test('a function of the application that loopwatch calls is the application\'s, and so is a package', () => {
  const stacks = [
    { weightMs: 50, frames: [app, at(HOOK, 'run')] },
    { weightMs: 50, frames: [at('/srv/node_modules/x/index.js'), at(HOOK, 'run')] }
  ]
  assert.deepEqual(ownTime(stacks, null), { ownMs: 0, frame: null })
})

test('a profile tells of what no interrupt has seen', () => {
  const profile = { samples: 4, call: null, stacks: [{ count: 4, weightMs: 40, frames: [native, at(HOOK, 'take')] }] }
  assert.equal(ownTime([], profile).ownMs, 40)
})

test('the only answer of a block that the profile saw elsewhere had met the agent as it went on', () => {
  const profile = { samples: 2, call: null, stacks: [{ count: 2, weightMs: 50, frames: [native, app] }] }
  const once = [{ count: 1, weightMs: 50, frames: [at(HOOK, 'beat')] }]
  assert.deepEqual([ownTime(once, profile).ownMs, ownTime(once, null).ownMs], [0, 50])
  assert.equal(ownTime([{ ...once[0], count: 2 }], profile).ownMs, 50)
})

test('a block that is mostly ours is told as ours', () => {
  const { evidence } = makeRecord()
  const record = makeRecord({ durationMs: 100, evidence: { ...evidence, ownMs: 60 }, frame: { ...at(HOOK, 'set'), exact: true } })
  assert.equal(isOwnBlock(record), true)
  assert.match(sentenceOf(record), /^event loop was blocked for 100 ms by loopwatch itself: set \(.*async-hook\.js:1\) \(js\)$/)
  assert.equal(isOwnBlock(makeRecord()), false)
})
