'use strict'

const os = require('node:os')
const path = require('node:path')
const go = require('./go')
const { kernels } = require('./kernels')

const CELL = path.join(__dirname, 'cell.js')
const CORES = os.availableParallelism()
/** The original's, beyond 2^31, where V8 counts in doubles. */
const ORIGINAL_LOOP = 1e10
const ORIGINAL = { users: 10, seconds: 30 }
const UPDATES = 10000
/** Updates of the control: enough for two threads to work concurrently in every run. */
const RACY_UPDATES = 100000
/** A second of work for ten users, before and while it is measured; requests have two minutes of grace in each. */
const WORK_LIMIT_S = 300
/** An addition of doubles takes four cycles: so long they take on a slow core of which others take most. */
const SLOW_COUNT_S = 8e-9
const LEAST_GRACE_S = 120
/** Measured: what a thread with a request adds, of a thousand of them. */
const THREAD_BYTES = 3.3 * 1024 * 1024
/** To start, to sample and to end. */
const BESIDE_S = 60

/** @typedef {import('../harness/interface').CellPlan} CellPlan */

const NODE = ['node-main', 'node-worker-per-request', 'node-pool', 'node-piscina', 'node-cluster']
const GO = ['go-goroutines', 'go-pool', 'go-one-processor']
const NODE_STATES = ['atomics-add', 'compare-exchange', 'futex-mutex', 'owner-messages', 'shared-map', 'racy']
const GO_STATES = ['atomic', 'mutex-map', 'rwmutex-map', 'sync-map', 'sharded', 'racy']

/** Data for the program that runs a variant. @param {string} variant */
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

/** @param {string} variant @param {number} [users] */
function skipOf (variant, users = 0) {
  if (variant.startsWith('go-')) return go.findGo() === null ? go.missing : null
  // The rest is for the others of this machine.
  if (variant.startsWith('node-worker-') && users * THREAD_BYTES > os.totalmem() / 2) return `${users} threads need ${Math.ceil(users * THREAD_BYTES / 1024 ** 3)} GiB, more than half of this machine's memory`
  return null
}

/** @param {string} variant @param {{ kernel: string, workMs: number, users: number }} params @returns {CellPlan} */
const work = (variant, { kernel, workMs, users }) => {
  const workers = workersOf(variant, users)
  // The driver is one more.
  return {
    variant,
    params: { kernel, workMs, users },
    module: CELL,
    workers,
    busy: workers + 1,
    timeLimitSeconds: WORK_LIMIT_S,
    skipped: skipOf(variant, users),
    data: { ...dataOf(variant), graceSeconds: LEAST_GRACE_S }
  }
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

/**
 * Time for requests of a loop that are under way at the end of the run. All users share the cores.
 * @param {number} loop @param {number} [cores]
 */
const graceOf = (loop, cores = CORES) =>
  Math.max(LEAST_GRACE_S, Math.ceil((loop * SLOW_COUNT_S * ORIGINAL.users) / Math.min(cores, ORIGINAL.users)))

/** @param {string} variant @param {number} loop @param {boolean} toggle @returns {CellPlan} */
const original = (variant, loop, toggle) => ({
  variant: `${variant}-original`,
  params: { loop, toggle, users: ORIGINAL.users },
  module: CELL,
  workers: ORIGINAL.users,
  busy: ORIGINAL.users + 1,
  unit: 'iterations in 30 s',
  seconds: ORIGINAL.seconds,
  timeLimitSeconds: graceOf(loop) + BESIDE_S,
  skipped: skipOf(variant),
  data: { ...dataOf(variant), seconds: ORIGINAL.seconds, graceSeconds: graceOf(loop) }
})

const states = () => [...NODE_STATES.map((state) => update('node', state)), ...GO_STATES.map((state) => update('go', state))]
/** @param {string[]} variants @param {{ kernel: string, workMs: number, users: number }[]} many */
const cross = (variants, many) => many.flatMap((params) => variants.map((variant) => work(variant, params)))

const FEW = ['node-main', 'node-worker-per-request', 'node-pool', 'go-goroutines']
const ALL = [...NODE, ...GO]
/** The ends of the range: everything on one loop, a thread for each core, a goroutine for each request. */
const ENDS = ['node-main', 'node-pool', 'go-goroutines']
const KERNELS = Object.keys(kernels).filter((name) => name !== 'empty')
const WORKS_MS = [0.1, 1, 10, 100, 1000]
const USERS = [1, 10, 100, 1000]

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
  // Two dimensions at a time, the others at 10 ms of `float` for ten users: all of them at once are days.
  full: () => [
    ...cross(ALL, KERNELS.map((kernel) => ({ kernel, workMs: 10, users: 10 }))),
    ...cross(ALL, WORKS_MS.map((workMs) => ({ kernel: 'float', workMs, users: 10 }))),
    ...cross(ENDS, WORKS_MS.map((workMs) => ({ kernel: 'json', workMs, users: 10 }))),
    ...cross(ALL, USERS.map((users) => ({ kernel: 'float', workMs: 1, users }))),
    ...cross(ENDS, [{ kernel: 'float', workMs: 100, users: 100 }]),
    ...cross(['node-worker-kept'], [1, 10, 50].map((users) => ({ kernel: 'float', workMs: 1, users }))),
    ...states()
  ],
  faithful: ({ loop = ORIGINAL_LOOP }) => [false, true].flatMap((toggle) => ['node-worker-kept', 'node-worker-per-request', 'go-goroutines'].map((variant) => original(variant, loop, toggle)))
}

/** @param {import('../harness/interface').PlanInput} input */
exports.plan = ({ mode, options }) => {
  const cells = plans[mode](options)
  return cells.filter(
    ({ variant, params }, i) =>
      cells.findIndex(
        (other) => other.variant === variant && JSON.stringify(other.params) === JSON.stringify(params)
      ) === i
  )
}
exports.graceOf = graceOf
exports.ORIGINAL = ORIGINAL
exports.ORIGINAL_LOOP = ORIGINAL_LOOP
exports.NODE_STATES = NODE_STATES
exports.GO_STATES = GO_STATES
