'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { BusyIncident, BusyThreads } = require('../../../../lib/watchdog/slow/busy-incident')
const { busyText, threadsText } = require('../../../../lib/watchdog/slow/slow-watch')
const { seeded } = require('../../../support/simulated-host')

/**
 * A loop that works for a share of each second, with noise.
 * @param {number[]} shares by second @param {number} [blockedShare] of the working time
 * @param {number} [queuedShare] of it
 */
function run (shares, blockedShare = 0, queuedShare = 0) {
  const busy = new BusyIncident()
  const random = seeded(7)
  let [activeMs, blockedMs, queuedMs, turns] = [0, 0, 0, 2 ** 31 - 1000]
  const events = []
  for (const [i, share] of shares.entries()) {
    const activeInMs = Math.min(1000, 1000 * share * (1 - 0.01 * random()))
    activeMs += activeInMs
    blockedMs += activeInMs * blockedShare
    queuedMs += activeInMs * queuedShare
    turns += 300
    const event = busy.see({ atMs: (i + 1) * 1000, activeMs, blockedMs, queuedMs, turns: turns | 0 })
    if (event !== null) events.push({ ...event, second: i + 1 })
  }
  return events
}

test('the last seconds can end now, with a block since the latest look', () => {
  const busy = new BusyIncident()
  const rest = { queuedMs: 0, turns: 0 }
  for (let atMs = 0; atMs <= 12_000; atMs += 1000) busy.see({ atMs, activeMs: atMs / 100, blockedMs: 0, ...rest })
  const now = { atMs: 13_300, activeMs: 1120, blockedMs: 1000, ...rest }
  assert.equal(busy.recent(3000).blockedShare, 0)
  assert.ok(Math.abs(busy.recent(3000, now).blockedShare - 1000 / 3300) < 1e-9)
  assert.equal(busy.recent().blockedShare, 0)
  const muchLater = { atMs: 42_000, activeMs: 30_120, blockedMs: 30_000, ...rest }
  assert.equal(busy.recent(3000, muchLater).blockedShare, 1)
})

/** @param {number} share @param {number} seconds */
const times = (share, seconds) => Array.from({ length: seconds }, () => share)

test('a loop that is busy for ten seconds is reported once, until it idles', () => {
  const events = run([...times(0.3, 5), ...times(1, 20), ...times(0.3, 3)])
  assert.deepEqual(events.map(({ type }) => type), ['opened', 'ended'])
  const [opened, ended] = events
  assert.ok(opened.second >= 15 && opened.second <= 16, JSON.stringify(opened))
  assert.equal(opened.turns, 3000, 'over the end of 32 bits')
  assert.equal(ended.second, 26)
  assert.match(busyText(opened, { function: 'priceOf', file: '/srv/shop/prices.js', line: 14, column: 1 }, 2000),
    /^the event loop was (?:9[6-9]|100)% busy for 10.0 s in 3,000 turns, without a single long block; most of it in priceOf \(shop\/prices.js:14\)$/)
  assert.doesNotMatch(busyText({ ...opened, turns: 0 }, null, 0), /turns|most of it/)
  assert.match(busyText(opened, null, 0.71 * (opened.endMs - opened.startMs)), /single long block; 71% was garbage collection$/)
})

test('nine busy seconds, a loop that is 90% busy, and those that block or wait for a CPU are none', () => {
  assert.deepEqual(run([...times(0.3, 5), ...times(1, 9), ...times(0.3, 20)]), [])
  assert.deepEqual(run(times(0.9, 60)), [])
  assert.deepEqual(run(times(1, 60), 0.6), [])
  assert.deepEqual(run(times(1, 60), 0, 0.6), [], 'another process has its CPU')
})

test('it is known to be likely at two looks at least before it opens, and no longer once it is open', () => {
  const likely = (/** @type {number} */ everyMs) => {
    const busy = new BusyIncident()
    return Array.from({ length: 13 }, (_, i) => {
      busy.see({ atMs: i * everyMs, activeMs: i * everyMs * 0.99, blockedMs: 0, queuedMs: 0, turns: 0 })
      return busy.isLikely
    }).flatMap((is, look) => is ? [look] : [])
  }
  assert.deepEqual(likely(1000), [7, 8, 9])
  // The first one starts a profile, the next one takes it. A look comes up to 275 ms late.
  assert.deepEqual(likely(1275), [6, 7])
  const idle = new BusyIncident()
  for (let i = 0; i < 13; i++) idle.see({ atMs: i * 1000, activeMs: i * 500, blockedMs: 0, queuedMs: 0, turns: 0 })
  assert.equal(idle.isLikely, false)
})

/** @param {number[][]} seconds the share that each living thread works, by second */
function runThreads (seconds) {
  const busy = new BusyThreads()
  const sums = { activeMs: 500, idleMs: 900 }
  return seconds.flatMap((shares, second) => {
    for (const share of shares) {
      sums.activeMs += 1000 * share
      sums.idleMs += 1000 * (1 - share)
    }
    const event = busy.see(second * 1000, { ...sums, count: shares.length })
    return event === null ? [] : [{ second, type: event.type, text: threadsText(event, 'resize', busy.count) }]
  })
}

test('worker threads that all work for ten seconds are reported once, however many there are, until one rests', () => {
  const busy = [...Array.from({ length: 8 }, () => [1, 1]), ...Array.from({ length: 4 }, () => [1, 1, 1])]
  const seconds = [[0, 0], ...busy, []]
  assert.deepEqual(runThreads(seconds), [
    { second: 10, type: 'opened', text: 'all 3 worker threads resize were 100% busy for 10.0 s: tasks may be waiting' },
    { second: 13, type: 'ended', text: 'all 3 worker threads resize were 100% busy for 12.0 s: tasks may be waiting' }
  ])
  const [opened] = runThreads(Array.from({ length: 12 }, () => [0.97]))
  assert.equal(opened.text, 'worker thread resize was 97% busy for 10.0 s: tasks may be waiting')
})

test('worker threads of which one has time to spare are not busy together', () => {
  assert.deepEqual(runThreads(Array.from({ length: 40 }, (_, i) => i % 2 === 0 ? [1, 1, 0.5] : [1, 0.5, 1])), [])
})
