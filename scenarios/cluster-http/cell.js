'use strict'

const { processUsage } = require('../harness/measure/usage')
const { measureServer } = require('../load/measure')
const { checkDatabase, databasePids } = require('./database/database')
const { capacityKey, orderOf, start } = require('./order')
const { FULL_BODY_BYTES, LIMIT, receivedBytes, sentBytes } = require('./database/rows')
const { openTable } = require('./table')

const KILL_AT = 0.5
/** Who waits for a killed worker after that is not answered by anybody. */
const KILL_GRACE_S = 3
/** The driver's error for a request that it gave up. */
const GIVEN_UP = 'UND_ERR_DESTROYED'
/** Fewer requests say little: the table is full from the thousandth on, and what is under way weighs. */
const ENOUGH_FOR_BYTES = 3000
const BYTES_WITHIN = 0.01

/** @param {any} context */
exports.run = async (context) => {
  const { params, data, shared } = context
  const table = data.usesDatabase ? await openTable(shared.databaseUrl) : null
  try {
    const server = await start(context)
    try {
      return await measure(context, server, table)
    } finally {
      await server.stop()
    }
  } catch (error) {
    // If the database behind a server is down, that is why the server failed.
    if (table !== null && params.endpoint.startsWith('database')) await checkDatabase(shared.databaseUrl).catch(() => { throw new Error(`the database went away during the run: ${error.message}`, { cause: error }) })
    throw error
  } finally {
    await table?.close()
  }
}

/**
 * @param {any} context
 * @param {import('../load/target/server').Server} server
 * @param {Awaited<ReturnType<typeof openTable>> | null} table
 */
async function measure (context, server, table) {
  const { params, data, shared, seconds, warmUpSeconds } = context
  // Whole, as k6 takes no other.
  const rate = params.share === undefined
    ? undefined
    : Math.max(1, Math.round(params.share * shared.capacity[capacityKey(params)]))
  const order = orderOf(context, server.ready.url, {
    seconds,
    ratePerSecond: rate,
    ...(data.kills ? { graceSeconds: KILL_GRACE_S } : {})
  })
  const isGrowing = params.endpoint === 'database'
  const { load, extra } = await measureServer(context, server, {
    order,
    warmUp: warmUpSeconds === 0 ? null : { ...order, seconds: warmUpSeconds, ratePerSecond: undefined },
    run: shared.driver === 'k6' ? (given) => require('../load/k6/k6').runK6(given) : undefined,
    between: async (warm) => { if (isGrowing && table !== null) await table.empty(warm?.requests ?? 0) },
    during: () => { if (data.kills) setTimeout(() => process.kill(server.ready.pids?.[1] ?? 0, 'SIGKILL'), seconds * KILL_AT * 1000) },
    follow: () => followDatabase(shared.databasePid)
  })
  checkAnswers(context, load)
  if (isGrowing && table !== null) await checkRows(context, load, table, order.url)
  // The wait for requests without a response is not part of the rate.
  const value = data.kills ? load.requests / Math.min(load.seconds, seconds) : load.perSecond
  return {
    value,
    extra: {
      ...extra,
      ...(data.kills ? { unansweredAfterKill: load.errors[GIVEN_UP] ?? 0 } : {}),
      ...(rate === undefined ? {} : { duePerSecond: rate, unanswered: load.late }),
      ...(isGrowing ? { receivedRatio: load.bytesReceived / receivedBytes(load.requests) } : {}),
      ...partsOf(load)
    }
  }
}

/** @param {any} context @param {import('../load/interface').LoadResult} load */
function checkAnswers (context, { requests, failed, errors }) {
  const told = JSON.stringify(errors)
  context.check(requests > 0, `no request was answered: ${told}`)
  // A killed worker takes what its connections had under way, one request each.
  if (context.data.kills) context.check(failed <= context.params.users, `${failed} of ${requests + failed} requests failed, more than there are connections: ${told}`)
  else context.check(failed === 0, `${failed} of ${requests + failed} requests failed: ${told}`)
}

/**
 * Every request has written its row, and what was read and sent is as long as the rows make it.
 * @param {any} context
 * @param {import('../load/interface').LoadResult} load
 * @param {Awaited<ReturnType<typeof openTable>>} table
 * @param {string} url
 */
async function checkRows (context, { requests, driver, bytesReceived, bytesSent }, table, url) {
  const written = await table.count(requests)
  context.checkEqual(written, requests, `the number of rows (${written} after ${requests} requests)`)
  if (written >= LIMIT) context.checkEqual((await (await fetch(url)).arrayBuffer()).byteLength, FULL_BODY_BYTES, 'the length of a full reply')
  if (driver !== 'built-in' || context.params.connection !== 'kept' || requests < ENOUGH_FOR_BYTES) return
  for (const [what, actual, expected] of /** @type {const} */ ([['received', bytesReceived, receivedBytes(requests)], ['sent', bytesSent, sentBytes(requests)]])) {
    context.check(Math.abs(actual / expected - 1) < BYTES_WITHIN, `data ${what} are ${actual} bytes, ${expected} by the formula`)
  }
}

/**
 * The parts of k6's report.
 * @param {import('../load/interface').LoadResult} load
 * @returns {Record<string, number>}
 */
const partsOf = (load) => Object.fromEntries((/** @type {const} */ (['blockedMs', 'connectingMs', 'durationMs', 'receivingMs', 'sendingMs', 'waitingMs'])).flatMap((part) =>
  (/** @type {const} */ (['avg', 'min', 'med', 'max', 'p90', 'p95'])).map((key) => [`${part}.${key}`, load[part][key]])))

/** CPU time of the database, all its processes together. @param {number | undefined} pid of the postmaster */
function followDatabase (pid) {
  const read = () => databasePids(pid).map(processUsage)
  const cpuSeconds = (/** @type {ReturnType<typeof read>} */ usages) =>
    usages.reduce((sum, usage) => sum + (usage.cpuSeconds ?? 0), 0)
  const before = cpuSeconds(read())
  return () => {
    const usages = read()
    return usages.length === 0 ? [] : [{ role: 'database', cpuSeconds: cpuSeconds(usages) - before, peakRssBytes: Math.max(...usages.map(({ peakRssBytes }) => peakRssBytes ?? 0)) }]
  }
}
