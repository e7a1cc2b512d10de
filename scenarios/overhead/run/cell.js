'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { median } = require('../../harness/measure/stats')

/** Calls at a time: they fit into the ring of finished work, which the watchdog empties in the pause. */
const CALLS = 500
const PAUSE_MS = 2
const US_PER_MS = 1000
const NAME = 'email:send'
/** Calls that are not counted within this time are missing. */
const COUNTED_MS = 5000
const LOOK_MS = 50

/** @typedef {() => void | Promise<void>} Batch */

/**
 * @param {typeof import('../../../lib').run} run
 * @param {string} handler what is called by its name
 */
function batchesOf (run, handler) {
  let done = 0
  const fn = () => { done++ }
  const later = async () => { done++ }
  const attributes = { tenant: 'acme' }
  const repeat = (/** @type {() => void} */ call) => () => {
    for (let i = 0; i < CALLS; i++) call()
  }
  const repeatAwaited = (/** @type {() => Promise<void>} */ call) => async () => {
    for (let i = 0; i < CALLS; i++) await call()
  }
  /** @type {Record<string, { bare: Batch, named: Batch }>} */
  const batches = {
    run: { bare: repeat(fn), named: repeat(() => run(NAME, fn)) },
    'run-async': { bare: repeatAwaited(later), named: repeatAwaited(() => run(NAME, later)) },
    'run-attributes': { bare: repeat(fn), named: repeat(() => run(NAME, fn, attributes)) }
  }
  return { ...batches[handler], done: () => done }
}

/** @param {Batch} batch @returns {Promise<number>} microseconds a call */
async function timed (batch) {
  const fromMs = performance.now()
  const settled = batch()
  if (settled !== undefined) await settled
  return (performance.now() - fromMs) * US_PER_MS / CALLS
}

/**
 * How many runs the agent has counted, and how many it knows to have lost.
 * @param {string} text of its metrics
 */
function countedIn (text) {
  const all = text.matchAll(/^loopwatch_(?:work_duration_seconds_count|events_dropped_total)\{(.*)\} (\d+)/gm)
  const isRun = (/** @type {string} */ labels) => labels.includes(`work="${NAME}"`) || labels.includes('reason="work"')
  return [...all].filter(([, labels]) => isRun(labels)).reduce((sum, [, , count]) => sum + Number(count), 0)
}

/**
 * The oracle of the watched one.
 * @param {any} context
 * @param {ReturnType<typeof import('../../../lib').start>} agent
 * @param {number} runs
 */
async function checkCount (context, agent, runs) {
  let counted = 0
  for (const untilMs = performance.now() + COUNTED_MS; counted < runs && performance.now() < untilMs;) {
    await sleep(LOOK_MS)
    counted = countedIn(await agent.metrics())
  }
  context.checkEqual(counted, runs, `the number of runs that the agent counted (${counted} of ${runs})`)
  await agent.stop()
}

/**
 * Cost of run() per call, from alternating batches without and with it. The sample is the median, in microseconds.
 * @param {any} context
 */
exports.run = async (context) => {
  const { run, start } = require('../../../lib')
  const agent = context.variant === 'nothing' ? null : start({ port: 0, log: false })
  await agent?.ready
  const { bare, named, done } = batchesOf(run, context.params.handler)
  context.watch([])
  let runs = 0
  const measure = async (/** @type {number} */ seconds) => {
    /** @type {number[]} */
    const added = []
    for (const untilMs = performance.now() + seconds * 1000; added.length === 0 || performance.now() < untilMs;) {
      const order = added.length % 2 === 0 ? [bare, named] : [named, bare]
      const [first, second] = [await timed(order[0]), await timed(order[1])]
      added.push(order[0] === bare ? second - first : first - second)
      runs += CALLS
      context.count(CALLS)
      await sleep(PAUSE_MS)
    }
    return added
  }
  if (context.warmUpSeconds > 0) await measure(1)
  const added = await context.measure(() => measure(context.seconds))
  context.checkEqual(done(), 2 * runs, `the number of calls (${done()} of ${2 * runs})`)
  if (agent !== null) await checkCount(context, agent, runs)
  return { value: median(added), extra: { batches: added.length } }
}
