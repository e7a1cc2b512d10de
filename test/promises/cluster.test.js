'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { eventually } = require('../support/app')
const { startCluster } = require('../support/cluster')

test('a cluster has one endpoint: blocks of its workers with their numbers, and metrics of all', async (t) => {
  const cluster = await startCluster(t, { workers: 2 })
  const [{ pid }] = cluster.joined()
  const isOurs = (/** @type {any} */ { frame, ongoing }) => frame?.function === 'spin' && !ongoing
  const blockOf = async () => (await cluster.json('/blocks')).find(isOurs)
  // On a busy machine no code may be to blame for the first.
  const again = setInterval(() => cluster.tell({ to: pid, spin: 300 }), 2000)
  t.after(() => clearInterval(again))
  cluster.tell({ to: pid, spin: 300 })
  const block = await eventually(blockOf, 'the block of the worker')
  clearInterval(again)
  assert.ok(block.worker > 0, JSON.stringify(block))
  const samples = await eventually(async () => {
    const all = await cluster.samples()
    return all.some(({ name, labels }) => name === 'loopwatch_block_duration_seconds_count' && labels.worker === `${block.worker}`) && all
  }, 'the block to be counted')
  assert.deepEqual(new Set(samples.flatMap(({ labels }) => labels.worker ?? [])), new Set(['primary', '1', '2']))
})
