'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { setImmediate } = require('node:timers/promises')
const { Backlog } = require('../../../../lib/watchdog/source/source-reader')

test('what is put off is done once, one job between two turns of the loop, and only while there is time', async () => {
  /** @type {string[]} */
  const done = []
  let mayWork = false
  const backlog = new Backlog(() => mayWork)
  for (const about of ['a', 'b', 'a']) backlog.add(about, () => done.push(about))
  backlog.workOff()
  await setImmediate()
  assert.deepEqual(done, [], 'a block is about to be told')
  mayWork = true
  backlog.workOff()
  backlog.workOff()
  await setImmediate()
  assert.deepEqual([done, backlog.isEmpty], [['a'], false])
  await setImmediate()
  assert.deepEqual([done, backlog.isEmpty], [['a', 'b'], true])
})

test('at the end what is left is done in a bounded time', () => {
  let done = 0
  const backlog = new Backlog(() => false)
  for (let i = 0; i < 10; i++) {
    backlog.add(`${i}`, () => {
      done++
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    })
  }
  backlog.finish(30)
  assert.ok(done >= 1 && done <= 2, `${done}`)
  backlog.finish(10000)
  assert.equal(done, 10)
})

test('more than it has room for is refused', () => {
  const backlog = new Backlog(() => false)
  const taken = Array.from({ length: 2000 }, (_, i) => backlog.add(`${i}`, () => {})).filter(Boolean)
  assert.equal(taken.length, 1000)
})
