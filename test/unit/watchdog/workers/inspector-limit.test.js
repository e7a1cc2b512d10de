'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { InspectorLimit } = require('../../../../lib/watchdog/workers/inspector-limit')

test('above a number of threads for its CPUs none is asked; earlier ones are counted where the system tells them', () => {
  /** @type {number | null} */
  let tasks = 8
  const limit = new InspectorLimit({ cpus: 2, before: 40, tasks: () => tasks })
  for (let threadId = 41; threadId <= 48; threadId++) limit.started(threadId)
  assert.equal(limit.excess, null)
  limit.started(49)
  assert.match(/** @type {any} */ (limit.excess)?.message ?? '', /there are 9, more than the 8/)
  limit.ended(41)
  assert.equal(limit.excess, null)
  limit.seen(Array.from({ length: 12 }, (_, i) => 38 + i))
  assert.match(/** @type {any} */ (limit.excess)?.message ?? '', /there are 12/)
  tasks = 8 + 8
  limit.recount()
  assert.equal(limit.excess, null)
  tasks = 308
  assert.match(new InspectorLimit({ cpus: 64, before: 1000, tasks: () => tasks }).excess?.message ?? '', /there are 300, more than the 32/)
  tasks = null
  assert.equal(new InspectorLimit({ cpus: 2, before: 1000, tasks: () => tasks }).excess, null, 'the first question tells')
})

test('threads whose end nobody told are not counted for ever', () => {
  let tasks = 8 + 14
  const limit = new InspectorLimit({ cpus: 2, before: 0, tasks: () => tasks })
  for (let threadId = 2; threadId <= 15; threadId++) limit.started(threadId)
  limit.recount()
  assert.match(limit.excess?.message ?? '', /there are 14/)
  tasks = 8 + 3
  limit.recount()
  assert.equal(limit.excess, null, 'there are three')
  // The rest of them are told after all, while others begin.
  for (let threadId = 16; threadId <= 20; threadId++) limit.started(threadId)
  for (let threadId = 2; threadId <= 12; threadId++) limit.ended(threadId)
  assert.equal(limit.excess, null, 'there are eight')
  limit.started(21)
  assert.match(/** @type {any} */ (limit.excess)?.message ?? '', /there are 9/)

  const unknown = new InspectorLimit({ cpus: 2, before: 0, tasks: () => null })
  for (let threadId = 2; threadId <= 15; threadId++) unknown.started(threadId)
  unknown.recount()
  assert.match(unknown.excess?.message ?? '', /there are 14/)
  unknown.seen([1, 9, 14])
  assert.equal(unknown.excess, null, 'those below the youngest that lives, and do not, are gone')
})
