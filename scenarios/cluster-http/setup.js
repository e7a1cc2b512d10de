'use strict'

const { codedError } = require('../../lib/tables/errors')
const { calibrate, kernels } = require('../goroutines/kernels')
const { findK6 } = require('../load/k6/k6')
const { checkPort } = require('../load/target/port')
const { measureCapacity } = require('./capacity')
const { checkDatabase, startDatabase } = require('./database/database')
const { singleOf } = require('./plan')
const { cleanup } = require('./database/rows')
const { KERNEL } = require('./server/endpoints')

const CPU_MS = 5

/**
 * The database of the run. Cells only get JSON; teardown stops it.
 * @type {Awaited<ReturnType<typeof startDatabase>> | null}
 */
let database = null
/** @type {AbortSignal | null} */
let signalOfRun = null

/** @param {any} shared what cells get */
async function openDatabase (shared) {
  database = await startDatabase(/** @type {AbortSignal} */ (signalOfRun))
  shared.databaseUrl = database.url
  shared.databasePid = database.pid
  return database
}

/**
 * @param {import('../harness/interface').PlanInput & { cells: import('../harness/interface').CellPlan[], signal:
 * AbortSignal, say: (line: string) => void, defer: (end: () => unknown) => void }} input
 */
exports.setup = async ({ cells, options, signal, say, defer, environment, mode }) => {
  const port = options.serverPort ?? 0
  await checkPort(port, '--server-port')
  const driver = options.driver ?? 'built-in'
  const k6 = driver === 'k6' ? findK6() : null
  if (driver === 'k6' && k6 === null) throw codedError('LOOPWATCH_ERR_TOOL', 'k6', 'https://k6.io, or go install go.k6.io/k6@latest')
  const steps = Math.round(calibrate(KERNEL) * CPU_MS)
  /** @type {any} */
  const shared = { port, driver, steps, cpuBody: kernels[KERNEL](steps), databaseUrl: '', databasePid: null, isOwnDatabase: false, tools: k6 === null ? {} : { k6: k6.version } }
  if (cells.some(({ data }) => data?.usesDatabase)) {
    signalOfRun = signal
    if (options.databaseUrl !== undefined) {
      shared.databaseUrl = options.databaseUrl
      shared.tools.postgresql = (await checkDatabase(options.databaseUrl)).version
      // Not in teardown(), which hears of nothing where what follows here fails.
      defer(() => dropTables(options.databaseUrl))
    } else {
      shared.isOwnDatabase = true
      shared.tools.postgresql = (await openDatabase(shared)).version
    }
  }
  const shares = cells.filter(({ params }) => params.share !== undefined)
  if (shares.length > 0) {
    shared.capacity = await measureCapacity(shares.map(singleOf), shared, signal)
    say(`One process answers ${Object.entries(shared.capacity).map(([key, perSecond]) => `${Math.round(Number(perSecond))} requests/s (${key})`).join(', ')}: rates of open loops are shares of that.`)
  }
  if (mode === 'faithful') say(`50 users for 60 s against ${environment.cores} workers; server, database and driver share the ${environment.cores} cores of this machine.`)
  return shared
}

/**
 * A database that went away must not take the other cells with it.
 * @param {import('../harness/interface').CellPlan} cell
 * @param {any} shared
 */
exports.before = async (cell, shared) => {
  if (!cell.data?.usesDatabase || !shared.isOwnDatabase) return
  try {
    await checkDatabase(shared.databaseUrl)
  } catch {
    await database?.stop()
    await openDatabase(shared)
  }
}

exports.teardown = async () => {
  await database?.stop()
  database = null
}

/** Somebody's own database is left as it was. @param {string} connectionString */
async function dropTables (connectionString) {
  const { Client } = require('pg')
  const client = new Client({ connectionString })
  client.on('error', () => {})
  // Gone with what was in it, or ours to tidy.
  await client.connect().then(() => client.query(cleanup)).catch(() => {})
  await client.end().catch(() => {})
}
