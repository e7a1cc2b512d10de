'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { EpollSleepProbe } = require('../../../../lib/watchdog/kernel/epoll-sleep-probe')

const LOOP = '281 0xe 0x7ffdd2769280 0x400 0xbb8 0x0 0x8 0x7ffdd2768520 0x7f3d52726cae\n'
const SPAWN_SYNC = LOOP.replace('0xe', '0x14')
const FUTEX = '202 0x55e0 0x0 0x0 0x0 0x0 0x0 0x7ffd 0x7f3d\n'

/** Learnt from so many looks between beats. @param {string | null} text @param {number} idleShare */
function learn (text, idleShare, looks = 5) {
  const file = { text, read: () => file.text }
  const sight = new EpollSleepProbe(file, 'x64')
  for (let i = 0; i < looks; i++) {
    const beat = { beats: i, atMs: i * 25, idleMs: i * 25 * idleShare, activeMs: 0, periodMs: 25 }
    sight.learn(i * 25 + 10, beat)
  }
  return { sight, file }
}

test('a loop that waits for events is distinguished from one in a lock, in spawnSync() or on a CPU', () => {
  const { sight, file } = learn(LOOP, 0.99)
  assert.ok(sight.canSee)
  const seen = [LOOP, SPAWN_SYNC, FUTEX, 'running\n'].map((text) => {
    file.text = text
    return sight.isAsleep
  })
  assert.deepEqual(seen, [true, false, false, false])
})

test('a wait of a loop that did not idle is not taken for its own', () => {
  assert.equal(learn(SPAWN_SYNC, 0.1).sight.canSee, false)
})

test('it stays blind where the kernel does not tell', () => {
  assert.equal(learn(null, 0.99).sight.canSee, false)
  assert.equal(learn(FUTEX, 0.99).sight.canSee, false)
})
