'use strict'

const os = require('node:os')
const path = require('node:path')
const { missingDatabase } = require('./database')

const CELL = path.join(__dirname, 'cell.js')
const CORES = os.availableParallelism()
const USERS = 50
const ORIGINAL_SECONDS = 60
/** As many connections as a cluster of two to sixteen workers has. */
const POOL = Math.max(CORES, 2)

/** @typedef {import('../harness/interface').CellPlan} CellPlan */
/** @typedef {{ endpoint: string, users?: number, workers?: number, connection?: 'kept' | 'new', rate?: number }} Params */

/** What the variants are made of. @type {Record<string, { topology: string, isMany: boolean, connections?: number, hasThreads?: boolean, kills?: boolean }>} */
const variants = {
  single: { topology: 'single', isMany: false },
  'single-pool': { topology: 'single', isMany: false, connections: POOL },
  cluster: { topology: 'cluster', isMany: true },
  'cluster-none': { topology: 'cluster-none', isMany: true },
  'reuse-port': { topology: 'reuse-port', isMany: true },
  'single-piscina': { topology: 'single', isMany: false, hasThreads: true },
  'cluster-kill': { topology: 'cluster', isMany: true, kills: true }
}

/** Where an older Node.js is asked for it, listen() ignores it and the second process finds the port taken. */
function hasReusePort () {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return process.platform === 'linux' && (major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12))
}

/** @param {string} variant @param {Params} params @returns {CellPlan} */
function cell (variant, { endpoint, users = USERS, workers = CORES, connection = 'kept', rate }) {
  const { topology, isMany, connections = 1, hasThreads = false, kills = false } = variants[variant]
  const count = isMany || hasThreads ? workers : 1
  const usesDatabase = endpoint.startsWith('database')
  return {
    variant,
    params: { endpoint, workers: count, users, connection, ...(rate === undefined ? {} : { rate }) },
    module: CELL,
    workers: count,
    // The driver, and the database, are busy beside.
    busy: count + 1 + (usesDatabase ? 1 : 0),
    timeLimitSeconds: 120,
    skipped: topology === 'reuse-port' && !hasReusePort() ? 'reusePort needs Linux and Node.js 22.12 or newer' : null,
    data: { topology, connections, threads: hasThreads ? count : 0, kills, usesDatabase }
  }
}

/** @param {string[]} names @param {Params[]} many */
const cross = (names, many) => many.flatMap((params) => names.map((name) => cell(name, params)))
/** @param {string[]} endpoints @returns {Params[]} */
const at = (...endpoints) => endpoints.map((endpoint) => ({ endpoint }))
const DATABASE = ['single', 'single-pool', 'cluster']

/** @type {Record<import('../harness/interface').ModeName, () => CellPlan[]>} */
const plans = {
  quick: () => [...cross(DATABASE, at('database')), ...cross(['single', 'cluster', 'single-piscina'], at('cpu')), cell('cluster-kill', { endpoint: 'static' })],
  default: () => [
    ...cross(DATABASE, at('database', 'database-fixed')),
    ...cross(['single', 'cluster'], at('empty', 'static')),
    ...cross(['single', 'cluster', 'single-piscina'], at('cpu')),
    cell('cluster-kill', { endpoint: 'static' })
  ],
  full: () => [
    ...cross([...DATABASE, 'cluster-none', 'reuse-port'], at('database', 'database-fixed')),
    ...cross(['single', 'cluster', 'cluster-none', 'reuse-port'], at('empty', 'static', 'cpu')),
    cell('single-piscina', { endpoint: 'cpu' }),
    ...cross(['cluster'], [1, 4].flatMap((workers) => ['static', 'cpu', 'database-fixed'].map((endpoint) => ({ endpoint, workers })))),
    ...cross(['single', 'cluster', 'cluster-none', 'reuse-port'], [{ endpoint: 'empty', connection: /** @type {const} */ ('new') }]),
    ...cross(['single', 'cluster', 'single-piscina'], [{ endpoint: 'cpu', rate: 100 }]),
    ...cross(DATABASE, [{ endpoint: 'database-fixed', rate: 100 }]),
    cell('cluster-kill', { endpoint: 'static' })
  ],
  faithful: () => cross(DATABASE, at('database')).map((plan) => ({ ...plan, seconds: ORIGINAL_SECONDS }))
}

/** @param {import('../harness/interface').PlanInput} input */
exports.plan = ({ mode, options }) => {
  const missing = options.databaseUrl === undefined ? missingDatabase() : null
  const cells = plans[mode]().map((plan) => plan.data?.usesDatabase ? { ...plan, skipped: plan.skipped ?? missing } : plan)
  return cells.filter(({ variant, params }, i) => cells.findIndex((other) => other.variant === variant && JSON.stringify(other.params) === JSON.stringify(params)) === i)
}
exports.ORIGINAL_SECONDS = ORIGINAL_SECONDS
exports.hasReusePort = hasReusePort
