'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')
const { ReadHistogram } = require('../../../../lib/export/prometheus/histograms')

/** @param {{ countsFromNow?: boolean }} [options] */
function makeDelay (options) {
  const { delays } = openBridge(createMemory())
  const metric = new ReadHistogram({
    name: 'delay_seconds',
    help: 'help',
    buckets: [0.001, 0.01, 0.1, 1, 10],
    read: (boundsMs) => [[{ thread: 'main' }, delays.read(boundsMs)]],
    ...options
  })
  const read = async () => {
    const { values } = await metric.get()
    const buckets = Object.fromEntries(values.filter(({ labels }) => 'le' in labels).map((/** @type {any} */ { labels, value }) => [labels.le, value]))
    return { buckets, sum: values[values.length - 2].value, count: values[values.length - 1].value }
  }
  return { delays, read }
}

test('delays become cumulative buckets, their sum in seconds and their number', async () => {
  const { delays, read } = makeDelay()
  assert.deepEqual(await read(), { buckets: { 0.001: 0, 0.01: 0, 0.1: 0, 1: 0, 10: 0, '+Inf': 0 }, sum: 0, count: 0 })
  for (const ms of [0, 1, 5, 250, 20000]) delays.record(ms)
  assert.deepEqual(await read(), { buckets: { 0.001: 2, 0.01: 3, 0.1: 3, 1: 4, 10: 4, '+Inf': 5 }, sum: 20.256, count: 5 })
})

test('a watchdog whose predecessor is counted on tells of delays from its first reading on', async () => {
  const { delays, read } = makeDelay({ countsFromNow: true })
  delays.record(5)
  assert.equal((await read()).count, 0)
  delays.record(500)
  assert.deepEqual(await read(), { buckets: { 0.001: 0, 0.01: 0, 0.1: 0, 1: 1, 10: 1, '+Inf': 1 }, sum: 0.5, count: 1 })
})
