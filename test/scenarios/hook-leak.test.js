'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { startNode } = require('../support/app')
const { needs } = require('../support/tools')

const LEAK = require.resolve('../../scenarios/hook-calls/leak.js')
const POOLS = 60
/** A pool that keeps its ids and answers keeps 2 MB, one that keeps a thread some 5 MB. */
const MOST_MB_A_POOL = 0.5
const RUNS = 400
/** Of the 800 that so many runs leave to collectors: each of the five isolates may wait until it has some 64. */
const MOST_MB_OF_RUNS = 500

/** @param {string} stdout */
const figuresOf = (stdout) => [...stdout.matchAll(/(\d+) (?:pools|runs) {2}RSS (\S+) MB/g)].map(([, times, megabytes]) => ({ times: Number(times), megabytes: Number(megabytes) }))

test('pools of threads that are called from Rust leave no memory behind', async (t) => {
  if (!needs(t, 'cargo')) return
  const { code, stdout, stderr } = await startNode(t, [LEAK, `${POOLS}`]).closed
  assert.equal(code, 0, stderr)
  const figures = figuresOf(stdout)
  assert.equal(figures.at(-1)?.times, POOLS)
  // Collectors take their time: the least of several figures is what is held.
  const least = (/** @type {typeof figures} */ part) =>
    part.reduce((one, other) => (other.megabytes < one.megabytes ? other : one))
  const [before, after] = [least(figures.slice(3, 6)), least(figures.slice(8))]
  assert.ok((after.megabytes - before.megabytes) / (after.times - before.times) < MOST_MB_A_POOL, stdout)
})

test('a pool that is called on and on lets collectors know what its ids and answers hold', async (t) => {
  if (!needs(t, 'cargo')) return
  const { code, stdout, stderr } = await startNode(t, [LEAK, `${RUNS}`, 'runs']).closed
  assert.equal(code, 0, stderr)
  const figures = figuresOf(stdout)
  assert.equal(figures.at(-1)?.times, RUNS)
  assert.ok(figures[figures.length - 1].megabytes - figures[0].megabytes < MOST_MB_OF_RUNS, stdout)
})
