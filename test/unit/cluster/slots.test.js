'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Slots, MOST_SLOTS } = require('../../../lib/cluster/slots')

test('a worker takes the lowest free slot; who comes back has its own again', () => {
  const alive = new Set()
  const slots = new Slots((pid) => alive.has(pid))
  assert.deepEqual(slots.take('a', 1, null), { slot: 1, isRestart: false })
  assert.deepEqual(slots.take('b', 2, null), { slot: 2, isRestart: false })
  assert.deepEqual(slots.take('c', 3, null), { slot: 3, isRestart: false })
  slots.release(1)
  slots.release(2)
  assert.deepEqual(slots.take('b', 2, null), { slot: 2, isRestart: false })
  assert.deepEqual(slots.take('d', 4, null), { slot: 1, isRestart: true })
  // Another life of a process's watchdog is no other process.
  slots.release(1)
  assert.deepEqual(slots.take('d2', 4, null), { slot: 1, isRestart: false })
  // A process that has only lost its connection will come back.
  alive.add(4)
  slots.release(1)
  assert.deepEqual(slots.take('e', 5, null), { slot: 4, isRestart: false })
  assert.deepEqual(slots.take('d2', 4, 1), { slot: 1, isRestart: false })
  // Under a new primary everyone keeps the slot it had under the old one.
  const next = new Slots()
  assert.deepEqual(next.take('c', 4194305, 3), { slot: 3, isRestart: false })
  assert.deepEqual(next.take('e', 4194306, 3), { slot: 1, isRestart: false })
  assert.deepEqual(next.take('f', 4194307, -1), { slot: 2, isRestart: false })
  assert.deepEqual(next.take('g', 4194308, '9'), { slot: 4, isRestart: false })
  for (let i = 5; i <= MOST_SLOTS; i++) next.take(`${i}`, 4194310 + i, null)
  assert.equal(next.take('last', 4194999, null), null)
  next.release(7)
  assert.deepEqual(next.take('other', 4194999, null), { slot: 7, isRestart: true })
  next.release(7)
  assert.deepEqual(next.take('living', process.pid, null), { slot: 7, isRestart: true })
  next.release(7)
  assert.equal(next.take('another', 4194998, null), null)
})
