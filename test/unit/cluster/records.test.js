'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { fit, isSmall } = require('../../../lib/cluster/records')
const { isRecord } = require('../../../lib/store/record')
const { makeRecord } = require('../../support/record')

test('a record travels with as many stacks as fit', () => {
  const frame = { function: 'f', file: '/srv/app/some/file.js', line: 1, column: 1 }
  const stack = (/** @type {number} */ depth) => ({
    count: 1,
    weightMs: 1,
    frames: Array.from({ length: depth }, () => frame)
  })
  const small = makeRecord()
  assert.deepEqual(fit(small), small)
  const empty = makeRecord({ stacks: [stack(0)] })
  assert.deepEqual(fit(empty), empty, 'one whose stack has no frames, too')
  const large = fit(makeRecord({ stacks: Array.from({ length: 10 }, () => stack(50)) }))
  assert.ok(large.stacks.length > 2 && large.stacks.length < 10)
  const deep = fit(makeRecord({ stacks: [stack(5000)] }))
  assert.ok(deep.stacks[0].frames.length > 50)
  for (const record of [large, deep]) assert.ok(JSON.stringify(record).length <= 16 * 1024)
  // What is too large even without its stacks ends a block all the same.
  const bare = fit(makeRecord({ frame: { ...frame, function: 'x'.repeat(20000), exact: true } }))
  assert.deepEqual([bare.id, bare.ongoing, bare.stacks, bare.frame], ['4242-1', false, [], null])
  assert.ok(isRecord(bare) && isSmall(bare))
  assert.equal(fit(makeRecord({ startedAt: 'x'.repeat(20000) })), null)
  assert.equal(fit(makeRecord({ durationMs: NaN })), null, 'what the primary would not take is not sent')
  const unsampled = makeRecord({ stacks: [stack(0)] })
  assert.deepEqual(fit(unsampled), unsampled)
  assert.ok(fit(makeRecord({ stacks: [stack(0), ...Array.from({ length: 10 }, () => stack(50))] })).stacks.length > 1)
  assert.ok(isRecord(small) && isSmall(small))
  assert.ok(!isSmall(/** @type {any} */ ({ ...small, pad: 'x'.repeat(20000) })))
  for (const wrong of [null, 1, {}, { ...small, id: '../x' }, { ...small, cause: 1 }, { ...small, stacks: 1 }, { ...small, frame: 'x' }, { ...small, durationMs: '1' }]) {
    assert.ok(!isRecord(wrong), JSON.stringify(wrong))
  }
})

test('a record travels with the stacks that are drawn of it: those of the CPU profile if interrupts were answered late', () => {
  const stack = (/** @type {string} */ name) =>
    ({ count: 1, weightMs: 1, frames: [{ function: name, file: '/srv/app.js', line: 1, column: 1 }] })
  const profile = { samples: 1, call: 'JSON.parse', stacks: [stack('sampled')] }
  const sent = (/** @type {number} */ nativeMs) => {
    const evidence = { ...makeRecord().evidence, nativeMs }
    const { stacks, profile: { stacks: sampled } } = fit(makeRecord({ evidence, stacks: [stack('answered')], profile }))
    return [...stacks, ...sampled].map(({ frames }) => frames[0].function)
  }
  assert.deepEqual([sent(0), sent(300)], [['answered'], ['sampled']])
})
