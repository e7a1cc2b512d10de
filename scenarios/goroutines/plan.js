'use strict'

const os = require('node:os')
const path = require('node:path')
const go = require('./go')

const CELL = path.join(__dirname, 'cell.js')
const CORES = os.availableParallelism()
/** The original's, beyond 2^31, where V8 counts in doubles. */
const ORIGINAL_LOOP = 1e10
const ORIGINAL = { users: 10, seconds: 30 }
const UPDATES = 10000
/** Of the control: so long that two threads work at once in every run. */
const RACY_UPDATES = 100000
/** Of the original's loop: longer than any other request. */
const SLOW_LIMIT_S = 300

/** @typedef {import('../harness/interface').CellPlan} CellPlan */

const NODE = ['node-main', 'node-worker-per-request', 'node-pool', 'node-piscina', 'node-cluster']
const GO = ['go-goroutines', 'go-pool', 'go-one-processor']
const NODE_STATES = ['atomics-add', 'compare-exchange', 'futex-mutex', 'owner-messages', 'shared-map', 'racy']
const GO_STATES = ['atomic', 'mutex-map', 'rwmutex-map', 'sync-map', 'sharded', 'racy']

/** What runs each variant. @param {string} variant */
const dataOf = (variant) => ({
  way: variant === 'go-one-processor' ? 'goroutines' : variant.slice(variant.indexOf('-') + 1),
  size: CORES,
  ...(variant === 'go-one-processor' ? { maxProcs: 1 } : {})
})

/** @param {string} variant @param {number} users */
function workersOf (variant, users) {
  if (variant === 'node-main' || variant === 'go-one-processor') return 1
  return variant.startsWith('node-worker-') ? users : Math.min(users, CORES)
}

/** @param {string} variant */
const skipOf = (variant) => variant.startsWith('go-') && go.findGo() === null ? go.missing : null

/** @param {string} variant @param {{ kernel: string, workMs: number, users: number }} params @returns {CellPlan} */
const work = (variant, { kernel, workMs, users }) => {
  const workers = workersOf(variant, users)
  // The driver is one more.
  return { variant, params: { kernel, workMs, users }, module: CELL, workers, busy: workers + 1, timeLimitSeconds: SLOW_LIMIT_S, skipped: skipOf(variant), data: dataOf(variant) }
}

/** @param {'node' | 'go'} runtime @param {string} state @returns {CellPlan} */
const update = (runtime, state) => {
  const variant = `${runtime}-state-${state}`
  return {
    variant,
    params: state === 'racy' ? { updates: RACY_UPDATES, users: 10, racy: true } : { updates: UPDATES, users: 10 },
    module: CELL,
    workers: CORES,
    busy: CORES + 1,
    unit: 'updates/s',
    skipped: skipOf(variant),
    data: { way: runtime === 'go' ? 'goroutines' : 'pool', size: CORES, state }
  }
}

/** @param {string} variant @param {number} loop @param {boolean} toggle @returns {CellPlan} */
const original = (variant, loop, toggle) => ({
  variant: `${variant}-original`,
  params: { loop, toggle, users: ORIGINAL.users },
  module: CELL,
  workers: ORIGINAL.users,
  busy: ORIGINAL.users + 1,
  unit: 'iterations in 30 s',
  seconds: ORIGINAL.seconds,
  timeLimitSeconds: SLOW_LIMIT_S,
  skipped: skipOf(variant),
  data: { ...dataOf(variant), seconds: ORIGINAL.seconds }
})

const states = () => [...NODE_STATES.map((state) => update('node', state)), ...GO_STATES.map((state) => update('go', state))]
/** @param {string[]} variants @param {{ kernel: string, workMs: number, users: number }[]} many */
const cross = (variants, many) => many.flatMap((params) => variants.map((variant) => work(variant, params)))

const FEW = ['node-main', 'node-worker-per-request', 'node-pool', 'go-goroutines']
const ALL = [...NODE, ...GO]

/** @type {Record<import('../harness/interface').ModeName, (options: { loop?: number }) => CellPlan[]>} */
const plans = {
  quick: () => [
    ...cross(['node-main', 'node-pool', 'node-cluster', 'go-goroutines'], [{ kernel: 'float', workMs: 1, users: 4 }]),
    ...states()
  ],
  default: () => [
    ...cross(FEW, [{ kernel: 'float', workMs: 10, users: 10 }]),
    ...cross(['node-pool', 'go-goroutines'], ['int32', 'json'].map((kernel) => ({ kernel, workMs: 10, users: 10 }))),
    ...['atomics-add', 'futex-mutex', 'racy'].map((state) => update('node', state)),
    ...['atomic', 'mutex-map', 'racy'].map((state) => update('go', state))
  ],
  full: () => [
    ...cross(ALL, [0.1, 1, 10, 100, 1000].map((workMs) => ({ kernel: 'float', workMs, users: 10 }))),
    ...cross(['node-main', 'node-pool', 'go-goroutines'], ['int32', 'sha256', 'json', 'sort', 'mandelbrot'].map((kernel) => ({ kernel, workMs: 10, users: 10 }))),
    ...cross(ALL.filter((variant) => variant !== 'node-worker-per-request'), [1, 100, 1000].map((users) => ({ kernel: 'float', workMs: 1, users }))),
    ...cross(['node-worker-per-request', 'node-worker-kept'], [1, 10, 50].map((users) => ({ kernel: 'float', workMs: 1, users }))),
    ...states()
  ],
  faithful: ({ loop = ORIGINAL_LOOP }) => [false, true].flatMap((toggle) => ['node-worker-kept', 'node-worker-per-request', 'go-goroutines'].map((variant) => original(variant, loop, toggle)))
}

/** @param {import('../harness/interface').PlanInput} input */
exports.plan = ({ mode, options }) => {
  const cells = plans[mode](options)
  return cells.filter(({ variant, params }, i) => cells.findIndex((other) => other.variant === variant && JSON.stringify(other.params) === JSON.stringify(params)) === i)
}
exports.ORIGINAL = ORIGINAL
exports.ORIGINAL_LOOP = ORIGINAL_LOOP
exports.NODE_STATES = NODE_STATES
exports.GO_STATES = GO_STATES
