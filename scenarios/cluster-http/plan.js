'use strict'

const os = require('node:os')
const path = require('node:path')
const { missingDatabase } = require('./database/database')

const CELL = path.join(__dirname, 'cell.js')
const CORES = os.availableParallelism()
const USERS = 50
const ORIGINAL_SECONDS = 60
/** Number of workers, in addition to one and to the number of cores. */
const MANY = 4
/** Shares of the capacity of one process: far below its limit, and close to it. */
const SHARES = [0.3, 0.9]

/** @typedef {import('../harness/interface').CellPlan} CellPlan */
/**
 * @typedef {{ endpoint: string, users?: number, workers?: number, connection?: 'kept' | 'new', share?: number }} Params
 */

/**
 * The parts of each variant.
 * @type {Record<string, { topology: string, isMany: boolean, hasPool?: boolean, hasThreads?: boolean, kills?: boolean
 * }>}
 */
const variants = {
  single: { topology: 'single', isMany: false },
  'single-pool': { topology: 'single', isMany: false, hasPool: true },
  cluster: { topology: 'cluster', isMany: true },
  'cluster-none': { topology: 'cluster-none', isMany: true },
  'reuse-port': { topology: 'reuse-port', isMany: true },
  'single-piscina': { topology: 'single', isMany: false, hasThreads: true },
  'cluster-kill': { topology: 'cluster', isMany: true, kills: true }
}

/** Older versions of Node.js ignore reusePort of listen(), and the second process finds the port taken. */
function hasReusePort () {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return process.platform === 'linux' && (major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12))
}

/** @param {string} variant @param {Params} params @returns {CellPlan} */
function cell (variant, { endpoint, users = USERS, workers = CORES, connection = 'kept', share }) {
  const { topology, isMany, hasPool = false, hasThreads = false, kills = false } = variants[variant]
  const count = isMany || hasThreads ? workers : 1
  // The same number as in the cluster that it is compared with.
  const pool = hasPool ? Math.max(workers, 2) : 1
  const usesDatabase = endpoint.startsWith('database')
  return {
    variant,
    params: {
      endpoint,
      workers: count,
      ...(hasPool ? { pool } : {}),
      users,
      connection,
      ...(share === undefined ? {} : { share })
    },
    module: CELL,
    workers: count,
    // The driver and the database are busy as well.
    busy: count + 1 + (usesDatabase ? 1 : 0),
    timeLimitSeconds: 120,
    skipped: topology === 'reuse-port' && !hasReusePort() ? 'reusePort needs Linux and Node.js 22.12 or newer' : null,
    data: { topology, connections: pool, threads: hasThreads ? count : 0, kills, usesDatabase }
  }
}

/** @param {string[]} names @param {Params[]} many */
const cross = (names, many) => many.flatMap((params) => names.map((name) => cell(name, params)))
/** @param {string[]} endpoints @returns {Params[]} */
const at = (...endpoints) => endpoints.map((endpoint) => ({ endpoint }))
const DATABASE = ['single', 'single-pool', 'cluster']
/** Topologies that make sense with every endpoint. */
const FREE = ['single', 'cluster', 'cluster-none', 'reuse-port']

/** Every endpoint in every topology. @param {Omit<Params, 'endpoint'>} params */
const everything = (params) => [
  ...cross(FREE, at('empty', 'static').map((each) => ({ ...each, ...params }))),
  ...cross([...FREE, 'single-piscina'], [{ endpoint: 'cpu', ...params }]),
  ...cross([...FREE, 'single-pool'], at('database', 'database-fixed').map((each) => ({ ...each, ...params })))
]

/** @type {Record<import('../harness/interface').ModeName, () => CellPlan[]>} */
const plans = {
  quick: () => [...cross(DATABASE, at('database')), ...cross(['single', 'cluster', 'single-piscina'], at('cpu')), cell('cluster-kill', { endpoint: 'static' })],
  default: () => [
    ...cross(DATABASE, at('database', 'database-fixed')),
    ...cross(['single', 'cluster'], at('empty', 'static')),
    ...cross(['single', 'cluster', 'single-piscina'], at('cpu')),
    cell('cluster-kill', { endpoint: 'static' })
  ],
  // Two dimensions at a time, the others as in the default.
  full: () => [
    ...everything({}),
    ...everything({ workers: 1 }).filter(({ variant }) => !variant.startsWith('single') || variant === 'single-piscina'),
    ...everything({ workers: MANY }),
    ...everything({ connection: 'new' }),
    ...cross(['cluster'], [1, MANY].map((workers) => ({ endpoint: 'empty', connection: 'new', workers }))),
    ...SHARES.flatMap((share) => [...cross([...FREE, 'single-piscina'], [{ endpoint: 'cpu', share }]), ...cross([...FREE, 'single-pool'], [{ endpoint: 'database-fixed', share }])]),
    ...cross(['single', 'cluster', 'single-piscina'], SHARES.map((share) => ({ endpoint: 'cpu', connection: 'new', share }))),
    cell('cluster', { endpoint: 'cpu', workers: MANY, share: SHARES[1] }),
    ...cross(['cluster-kill'], [...at('static', 'cpu', 'database-fixed'), { endpoint: 'static', connection: 'new' }])
  ],
  faithful: () => cross(DATABASE, at('database')).map((plan) => ({ ...plan, seconds: ORIGINAL_SECONDS }))
}

/** @param {import('../harness/interface').PlanInput} input */
exports.plan = ({ mode, options }) => {
  const missing = options.databaseUrl === undefined ? missingDatabase() : null
  const cells = plans[mode]().map((plan) =>
    plan.data?.usesDatabase ? { ...plan, skipped: plan.skipped ?? missing } : plan
  )
  return cells.filter(
    ({ variant, params }, i) =>
      cells.findIndex(
        (other) => other.variant === variant && JSON.stringify(other.params) === JSON.stringify(params)
      ) === i
  )
}
/** One process with the same load, which says what it can do. @param {CellPlan} plan */
exports.singleOf = ({ params: { endpoint, users, connection } }) => cell('single', /** @type {any} */ ({ endpoint, users, connection }))
exports.MANY = MANY
exports.ORIGINAL_SECONDS = ORIGINAL_SECONDS
exports.hasReusePort = hasReusePort
