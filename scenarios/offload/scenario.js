'use strict'

const os = require('node:os')
const path = require('node:path')
const { charts } = require('./charts')
const { compare } = require('./original')
const { findings, tables, verdict } = require('./findings')
const { extra, figure } = require('../harness/report/format')

const TASK = path.join(__dirname, 'task.js')
const TOP_LEVEL = path.join(__dirname, 'top-level', 'top-level.js')
const WORK_MS = [1, 10, 100, 1000]
const INPUTS_KIB = [64, 1024, 16384]
const PARALLEL = [4, 16]
/** Beyond 2^31, so that both sides count in floating point, as the original does. */
const ORIGINAL_COUNT = 5e9
/** At the top level, only the start of the offloaded work is measured, so the work may be short. */
const SHORT_COUNT = 1e8
/** Long enough for the longest task twice. */
const TIME_LIMIT_S = 60

/** @typedef {import('../harness/interface').CellPlan} CellPlan */

/**
 * @param {string} variant
 * @param {Partial<{ workMs: number, inputKiB: number, parallel: number }>} params
 * @returns {CellPlan}
 */
function cell (variant, { workMs = 1, inputKiB = 0, parallel = 1 }) {
  // A pool has as many threads as there are cores, whatever is waiting.
  const busy = variant === 'pool' ? Math.min(parallel, os.availableParallelism()) : parallel
  return {
    variant,
    params: { workMs, inputKiB, parallel },
    module: TASK,
    workers: busy,
    busy,
    timeLimitSeconds: TIME_LIMIT_S
  }
}

/** @param {number} count @returns {CellPlan[]} */
const topLevel = (count) => ['fork-at-top-level', 'worker-at-top-level'].map((variant) => ({
  variant, params: { count }, module: TOP_LEVEL, timeLimitSeconds: TIME_LIMIT_S
}))

/** @param {string[]} variants @param {number[]} values @param {(value: number) => object} params */
const cross = (variants, values, params) =>
  values.flatMap((value) => variants.map((variant) => cell(variant, params(value))))

const byWork = (/** @type {number[]} */ works) => cross(['inline', 'fork', 'worker', 'pool'], works, (workMs) => ({ workMs }))
const byInput = (/** @type {number[]} */ inputs) => cross(['fork', 'worker', 'pool'], inputs, (inputKiB) => ({ inputKiB }))
const byParallel = (/** @type {number[]} */ counts) => cross(['fork', 'worker', 'pool'], counts, (parallel) => ({ workMs: 10, parallel }))

/** @type {Record<import('../harness/interface').ModeName, () => CellPlan[]>} */
const plans = {
  quick: () => [...byWork([1, 10]), ...byInput([1024]), ...topLevel(SHORT_COUNT)],
  default: () => [...byWork(WORK_MS), ...byInput([1024, 16384]), ...byParallel([16]), ...topLevel(SHORT_COUNT)],
  full: () => [
    ...byWork(WORK_MS),
    ...cross(['fork', 'worker', 'pool'], [1, 10, 100, 1000], (workMs) => ({ workMs, inputKiB: 1024 })),
    ...byInput(INPUTS_KIB),
    ...byParallel(PARALLEL),
    ...cross(['fork', 'worker', 'pool'], [16], (parallel) => ({ workMs: 100, parallel })),
    ...topLevel(SHORT_COUNT)
  ],
  faithful: () => topLevel(ORIGINAL_COUNT)
}

/** @type {import('../harness/interface').Scenario} */
exports.scenario = {
  name: 'offload',
  title: 'from which work size on a process, a thread or a pool frees the caller, and what starting and sending cost',
  unit: 'ms',
  better: 'lower',
  agent: { threshold: 3 },
  packages: ['piscina'],
  modes: {
    quick: { repeats: 1, seconds: 0.1, warmUpSeconds: 0, note: 'a smoke run: do not quote its figures' },
    default: { repeats: 5, seconds: 0.1, warmUpSeconds: 0, note: 'sizes of work and input, 16 at once, and starts at the top level' },
    full: { repeats: 7, seconds: 1, warmUpSeconds: 0, note: 'input with every size of work, and more at once' },
    faithful: { repeats: 5, seconds: 0, warmUpSeconds: 0, note: 'counting to 5,000,000,000 under blocked-at, as in the original; about 2 minutes' }
  },
  plan: ({ mode }) => plans[mode]().filter((each, i, all) => all.findIndex((other) => isSame(each, other)) === i),
  setup: async ({ cells }) => {
    const { calibrate, work } = require('./work')
    if (cells.every(({ module }) => module === TOP_LEVEL)) return {}
    const stepsPerMs = calibrate()
    return { stepsPerMs, values: Object.fromEntries(WORK_MS.map((workMs) => [workMs, work(workMs * stepsPerMs)])) }
  },
  columns: [
    { title: 'caller blocked ms', text: (cell) => extra(cell, 'heldMs') },
    { title: 'start + send ms', text: (cell) => cell.extra.sendMs === undefined ? extra(cell, 'startMs') : `${extra(cell, 'startMs')} + ${extra(cell, 'sendMs')}` },
    { title: 'online ms', text: (cell) => cell.extra.onlineMs?.median ? extra(cell, 'onlineMs') : '' },
    { title: 'blocked-at', text: ({ extra: { blockedAtBlocks, blockedAtMaxMs } }) => blockedAtBlocks === undefined ? '' : blockedAtMaxMs === undefined ? 'nothing' : `${figure(blockedAtMaxMs.median)} ms` },
    { title: 'agent: block with the start', text: (cell) => cell.extra.agentStartMs === undefined ? '' : `${extra(cell, 'agentStartMs')} ms` }
  ],
  tables,
  charts,
  verdict,
  findings,
  compare
}

/** @param {CellPlan} a @param {CellPlan} b */
const isSame = (a, b) => a.variant === b.variant && JSON.stringify(a.params) === JSON.stringify(b.params)
