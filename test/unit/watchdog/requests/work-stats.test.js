'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')
const { packWork } = require('../../../../lib/bridge/request-row')
const { RecentBlocks } = require('../../../../lib/watchdog/requests/recent-blocks')
const { WorkStats } = require('../../../../lib/watchdog/requests/stats')

/** Stats over a bridge, with what they told the metrics. */
function makeStats () {
  const bridge = openBridge(createMemory())
  /** @type {any[]} */
  const told = []
  const blocks = new RecentBlocks()
  const series = (/** @type {string} */ what, /** @type {string[]} */ labels) =>
    ({ observe: (/** @type {number} */ seconds) => told.push([what, labels, seconds]) })
  const stats = new WorkStats(bridge, {
    workSeries: (work, kind) => /** @type {any} */ ({ duration: series('duration', [work, kind]), blocked: series('blocked', [work, kind]) }),
    overflowed: (label) => { told.push(['overflow', label]) }
  }, blocks)
  /** @param {string | null} name @param {any} kind @param {number} startMs @param {number} durationMs */
  const push = (name, kind, startMs, durationMs, id = 1, hasThread = false) => {
    const number = name === null ? -1 : bridge.workNames.numberOf(name)
    bridge.works.push(packWork(number, kind, hasThread), startMs, durationMs, id)
  }
  return { stats, blocks, push, told }
}

test('a finished piece of work is counted by name and kind, with the time that others kept it waiting', () => {
  const { stats, blocks, push, told } = makeStats()
  blocks.add({ startMs: 100, endMs: 400, workIds: [7] })
  push('email:send', 'job', 200, 500)
  push('email:send', 'task', 50, 400, 7)
  stats.drain(1000)
  assert.deepEqual(told, [
    ['duration', ['email:send', 'job'], 0.5], ['blocked', ['email:send', 'job'], 0.2],
    ['duration', ['email:send', 'task'], 0.4], ['blocked', ['email:send', 'task'], 0]
  ])
})

test('work that ended after the last beat waits until blocks up to its end are known', () => {
  const { stats, push, told } = makeStats()
  push('a', 'job', 0, 90)
  push('a', 'job', 0, 120)
  stats.drain(100)
  assert.equal(told.length, 2)
  stats.drain(130)
  assert.equal(told.length, 4)
})

test('each piece of work beyond the bound of names counts as an overflow', () => {
  const { stats, push, told } = makeStats()
  push(null, 'message', 0, 10)
  push(null, 'message', 0, 10)
  stats.drain(100)
  assert.deepEqual(told.filter(([what]) => what === 'overflow'), [['overflow', 'work'], ['overflow', 'work']])
  assert.deepEqual(told[0], ['duration', ['(other)', 'message'], 0.01])
})

test('work that has a thread of its own loses nothing to blocks of the main thread', () => {
  const { stats, blocks, push, told } = makeStats()
  blocks.add({ startMs: 100, endMs: 400, workIds: [7] })
  push('report', 'job', 200, 500, 1, true)
  stats.drain(1000)
  assert.deepEqual(told, [['duration', ['report', 'job'], 0.5]])
})
