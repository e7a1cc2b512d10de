'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { eventually } = require('../support/app')
const { startCluster } = require('../support/cluster')

test('a cluster has one endpoint: blocks of its workers with their numbers, and metrics of all', async (t) => {
  const cluster = await startCluster(t, { workers: 2 })
  const [{ pid }] = cluster.joined()
  cluster.tell({ to: pid, spin: 300 })
  const block = await eventually(async () => (await cluster.json('/blocks')).find((/** @type {any} */ { frame, ongoing }) => frame?.function === 'spin' && !ongoing), 'the block of the worker')
  assert.ok(block.worker > 0, JSON.stringify(block))
  const samples = await eventually(async () => {
    const all = await cluster.samples()
    return all.some(({ name, labels }) => name === 'loopwatch_block_duration_seconds_count' && labels.worker === `${block.worker}`) && all
  }, 'the block to be counted')
  assert.deepEqual(new Set(samples.flatMap(({ labels }) => labels.worker ?? [])), new Set(['primary', '1', '2']))
})
