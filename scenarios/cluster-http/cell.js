'use strict'

const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { processUsage } = require('../harness/usage')
const { measureServer } = require('../load/measure')
const { startServer } = require('../load/server')
const { checkDatabase, databasePids } = require('./database')
const { FULL_BODY_BYTES, LIMIT, receivedBytes, schema, sentBytes } = require('./rows')

const SERVER = path.join(__dirname, 'server', 'main.js')
/** @type {Record<string, string>} */
const PATHS = { empty: '/empty', static: '/static', cpu: '/cpu', database: '/', 'database-fixed': '/fixed' }
/** As long as the original's request, byte by byte: "GET /", this, and undici's Connection. */
const HEADERS = { host: 'localhost:3000', 'user-agent': 'lw' }
const KILL_AT = 0.5
const SETTLE_LIMIT_MS = 5000
const SETTLE_POLL_MS = 20
/** Fewer requests say little: the table is full from the thousandth on, and what is under way weighs. */
const ENOUGH_FOR_BYTES = 3000
const BYTES_WITHIN = 0.01

/** @param {any} context */
exports.run = async (context) => {
  const { params, data, shared } = context
  const table = data.usesDatabase ? await openTable(shared.databaseUrl) : null
  try {
    const server = await startServer(process.execPath, [SERVER, ...flagsOf(context)])
    try {
      return await measure(context, server, table)
    } finally {
      await server.stop()
    }
  } catch (error) {
    // What is down behind a server is the reason why the server failed.
    if (table !== null && params.endpoint.startsWith('database')) await checkDatabase(shared.databaseUrl).catch(() => { throw new Error(`the database went away during the run: ${error.message}`, { cause: error }) })
    throw error
  } finally {
    await table?.close()
  }
}

/** @param {any} context */
const flagsOf = ({ params, data, shared }) => Object.entries({
  topology: data.topology, workers: params.workers, port: shared.port, database: data.usesDatabase ? shared.databaseUrl : '', connections: data.connections, steps: shared.steps, threads: data.threads
}).map(([name, value]) => `--${name}=${value}`)

/** @param {any} context @param {import('../load/server').Server} server @param {Awaited<ReturnType<typeof openTable>> | null} table */
async function measure (context, server, table) {
  const { params, data, shared, seconds, warmUpSeconds } = context
  const { url } = server.ready
  const order = {
    url: `${url}${PATHS[params.endpoint]}`,
    users: params.users,
    seconds,
    ratePerSecond: params.rate,
    keepAlive: params.connection === 'kept',
    headers: HEADERS,
    expect: params.endpoint === 'static' || params.endpoint === 'database-fixed' ? { bodyBytes: FULL_BODY_BYTES } : params.endpoint === 'cpu' ? { body: shared.cpuBody } : {}
  }
  const isGrowing = params.endpoint === 'database'
  const { load, extra } = await measureServer(context, server, {
    order,
    warmUp: warmUpSeconds === 0 ? null : { ...order, seconds: warmUpSeconds, ratePerSecond: undefined },
    run: shared.driver === 'k6' ? (given) => require('../load/k6').runK6(given) : undefined,
    between: async (warm) => { if (isGrowing && table !== null) await table.empty(warm?.requests ?? 0) },
    during: () => { if (data.kills) setTimeout(() => process.kill(server.ready.pids?.[1] ?? 0, 'SIGKILL'), seconds * KILL_AT * 1000) },
    follow: () => followDatabase(shared.databasePid)
  })
  context.check(load.requests > 0, `no request was answered: ${JSON.stringify(load.errors)}`)
  // A killed worker takes what its connections had under way, one request each.
  if (data.kills) context.check(load.failed <= params.users, `${load.failed} of ${load.requests + load.failed} requests failed, more than there are connections: ${JSON.stringify(load.errors)}`)
  else context.check(load.failed === 0, `${load.failed} of ${load.requests + load.failed} requests failed: ${JSON.stringify(load.errors)}`)
  if (isGrowing && table !== null) {
    const written = await table.count(load.requests)
    context.checkEqual(written, load.requests, `the number of rows (${written} after ${load.requests} requests)`)
    if (written >= LIMIT) context.checkEqual((await (await fetch(order.url)).arrayBuffer()).byteLength, FULL_BODY_BYTES, 'the length of a full reply')
    if (load.driver === 'built-in' && params.connection === 'kept' && load.requests >= ENOUGH_FOR_BYTES) {
      for (const [what, actual, expected] of /** @type {const} */ ([['received', load.bytesReceived, receivedBytes(load.requests)], ['sent', load.bytesSent, sentBytes(load.requests)]])) {
        context.check(Math.abs(actual / expected - 1) < BYTES_WITHIN, `data ${what} are ${actual} bytes, ${expected} by the formula`)
      }
    }
  }
  return { value: load.perSecond, extra: { ...extra, ...(isGrowing ? { receivedRatio: load.bytesReceived / receivedBytes(load.requests) } : {}), ...partsOf(load) } }
}

/** What k6 reports, part by part. @param {import('../load/interface').LoadResult} load @returns {Record<string, number>} */
const partsOf = (load) => Object.fromEntries((/** @type {const} */ (['blockedMs', 'connectingMs', 'durationMs', 'receivingMs', 'sendingMs', 'waitingMs'])).flatMap((part) =>
  (/** @type {const} */ (['avg', 'min', 'med', 'max', 'p90', 'p95'])).map((key) => [`${part}.${key}`, load[part][key]])))

/** CPU time of the database, all its processes together. @param {number | undefined} pid of the postmaster */
function followDatabase (pid) {
  const read = () => databasePids(pid).map(processUsage)
  const cpuSeconds = (/** @type {ReturnType<typeof read>} */ usages) => usages.reduce((sum, usage) => sum + (usage.cpuSeconds ?? 0), 0)
  const before = cpuSeconds(read())
  return () => {
    const usages = read()
    return usages.length === 0 ? [] : [{ role: 'database', cpuSeconds: cpuSeconds(usages) - before, peakRssBytes: Math.max(...usages.map(({ peakRssBytes }) => peakRssBytes ?? 0)) }]
  }
}

/** The tables, made anew. @param {string} connectionString */
async function openTable (connectionString) {
  const { Client } = require('pg')
  const client = new Client({ connectionString, connectionTimeoutMillis: SETTLE_LIMIT_MS })
  client.on('error', () => {})
  await client.connect().catch((error) => { throw new Error(`the database does not answer: ${error.message || error.code}`, { cause: error }) })
  await client.query(schema)
  const count = async () => Number((await client.query('select count(1) from loopwatch_requests')).rows[0].count)
  // Nobody waits for the inserts, so the last of them come after the last answer.
  const settled = async (/** @type {number} */ expected) => {
    for (let waitedMs = 0; waitedMs < SETTLE_LIMIT_MS && await count() < expected; waitedMs += SETTLE_POLL_MS) await sleep(SETTLE_POLL_MS)
    return count()
  }
  return {
    count: settled,
    empty: async (/** @type {number} */ expected) => {
      await settled(expected)
      await client.query('truncate loopwatch_requests')
    },
    close: () => client.end().catch(() => {})
  }
}
