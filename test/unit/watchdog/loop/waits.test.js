'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { SleptCalls } = require('../../../../lib/watchdog/loop/intervals')

/** @param {string} call @param {string | null} target */
const wait = (call, target) => ({ call, target, text: target === null ? call : `${call} of ${target}` })

/**
 * Looks at a block that polls every 25 ms.
 * @param {SleptCalls} waits @param {number} startMs @param {number} durationMs
 */
function block (waits, startMs, durationMs) {
  for (let ms = 100; ms <= durationMs; ms += 25) waits.lookIfDue(startMs + ms, ms)
}

test('the call in which a thread slept longest is named, not the last one', () => {
  let nowMs = 0
  const waits = new SleptCalls(() => nowMs < 700 ? wait('read', '/a') : wait('write', '/b'))
  for (let ms = 100; ms <= 1000; ms += 25) waits.lookIfDue(nowMs = ms, ms)
  const { share, ...found } = /** @type {import('../../../../lib/types').SleptIn} */ (waits.within(0, 1000))
  assert.deepEqual(found, { call: 'read', target: '/a', text: 'read of /a' })
  assert.ok(share > 0.5 && share < 0.8, `${share}`)
})

test('of many targets one stands for all, and a short one is not counted', () => {
  let looks = 0
  const many = new SleptCalls(() => wait('read', `/file-${looks++}`))
  block(many, 0, 1000)
  assert.match(`${many.within(0, 1000)?.text}`, /^read of \/file-\d+ and \d more$/)
  looks = 0
  const one = new SleptCalls(() => wait('read', looks++ === 0 ? '/first' : '/second'))
  block(one, 0, 1000)
  assert.equal(one.within(0, 1000)?.text, 'read of /second')
})

test('a thread is looked at a few times only, however long a block lasts', () => {
  let looks = 0
  const waits = new SleptCalls(() => { looks++; return null })
  block(waits, 0, 10000)
  assert.ok(looks > 10 && looks <= 25, `${looks}`)
  block(waits, 20000, 60 * 60 * 1000)
  assert.ok(looks <= 25 + 52, `${looks}`)
})

test('each block has its own looks, and one that was not seen asleep has none', () => {
  let text = '/a'
  const waits = new SleptCalls(() => text === '' ? null : wait('read', text))
  block(waits, 0, 300)
  text = '/b'
  block(waits, 1000, 300)
  text = ''
  block(waits, 2000, 300)
  assert.equal(waits.within(0, 300)?.target, '/a')
  assert.equal(waits.within(1000, 1300)?.target, '/b')
  assert.equal(waits.within(2000, 2300), null)
  assert.equal(waits.within(5000, 6000), null)
})

test('the time of an idle loop before a block weighs nothing', () => {
  const calls = ['epoll_wait', 'futex', 'futex']
  const waits = new SleptCalls(() => wait(/** @type {string} */ (calls.shift()), null))
  // The last beat was at 0, and the block began at 400.
  for (const atMs of [410, 520, 660]) waits.lookIfDue(atMs, atMs)
  assert.deepEqual(waits.within(400, 700), { call: 'futex', target: null, text: 'futex', share: 0.96 })
})

test('a block never sleeps in the wait of the loop for events', () => {
  let isIdle = true
  const waits = new SleptCalls(() => wait('epoll_wait', null), () => isIdle)
  block(waits, 0, 300)
  isIdle = false
  block(waits, 1000, 300)
  assert.equal(waits.within(0, 300), null)
  assert.equal(waits.within(1000, 1300)?.call, 'epoll_wait')
})
