'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { startNode } = require('./support/app')
const { needs } = require('./support/tools')

const LEAK = require.resolve('../scenarios/hook-calls/leak.js')
const POOLS = 60
/** A pool that keeps its ids and answers keeps 2 MB, one that keeps a thread some 5 MB. */
const MOST_MB_A_POOL = 0.5

test('pools of threads that are called from Rust leave no memory behind', async (t) => {
  if (!needs(t, 'cargo')) return
  const { code, stdout, stderr } = await startNode(t, [LEAK, `${POOLS}`]).closed
  assert.equal(code, 0, stderr)
  const figures = [...stdout.matchAll(/(\d+) pools {2}RSS (\S+) MB/g)].map(([, pools, megabytes]) => ({ pools: Number(pools), megabytes: Number(megabytes) }))
  assert.equal(figures.at(-1)?.pools, POOLS)
  // Collectors take their time: the least of several figures is what is held.
  const least = (/** @type {typeof figures} */ part) => part.reduce((one, other) => other.megabytes < one.megabytes ? other : one)
  const [before, after] = [least(figures.slice(3, 6)), least(figures.slice(8))]
  assert.ok((after.megabytes - before.megabytes) / (after.pools - before.pools) < MOST_MB_A_POOL, stdout)
})
