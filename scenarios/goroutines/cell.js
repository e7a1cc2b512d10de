'use strict'

const path = require('node:path')
const { quantileOfBuckets } = require('../harness/measure/stats')
const { measureServer } = require('../load/measure')
const { startServer } = require('../load/target/server')

const NODE_SERVER = path.join(__dirname, 'server-node', 'main.js')
const PROBES_PER_S = 20
const MICROS_PER_S = 1e6

/**
 * @typedef {{ way: string, size: number, state?: string, maxProcs?: number, seconds?: number, graceSeconds?: number }}
 * Data
 */

/** @param {boolean} isGo @param {Data} data @param {any} shared */
const start = (isGo, { way, size, state, maxProcs }, shared) => isGo
  ? startServer(shared.goServer, [`-pool=${way === 'pool' ? size : 0}`, `-state=${state ?? 'atomic'}`, `-port=${shared.port}`], { env: maxProcs === undefined ? {} : { GOMAXPROCS: String(maxProcs) } })
  : startServer(process.execPath, [NODE_SERVER, '--way', way, '--size', String(size), '--state', state ?? 'atomics-add', '--port', String(shared.port)])

/** @param {string} url */
const get = async (url) => (await fetch(url)).text()

/** @param {any} context */
exports.run = async (context) => {
  const { data, shared } = context
  const isGo = context.variant.startsWith('go-')
  const server = await start(isGo, data, shared)
  try {
    return await (context.params.updates === undefined ? work : update)(context, server, isGo)
  } finally {
    await server.stop()
  }
}

/**
 * Requests that work.
 * @param {any} context
 * @param {import('../load/target/server').Server} server
 * @param {boolean} isGo
 */
async function work (context, server, isGo) {
  const { params, shared, data } = context
  const { url } = server.ready
  const steps = params.loop ?? shared.steps[params.kernel][params.workMs]
  // A server dies of a request that is wrong before it costs a minute.
  const order = {
    url: `${url}/work?kernel=${params.kernel ?? 'empty'}&steps=${steps}${params.toggle ? '&toggle=1' : ''}`,
    users: params.users,
    seconds: context.seconds,
    graceSeconds: data.graceSeconds,
    keepAlive: params.loop === undefined || !isGo,
    expect: { body: shared.bodies[`${params.kernel ?? 'empty'} ${steps}`] },
    ...(params.loop === undefined ? { probe: { url: `${url}/health`, ratePerSecond: PROBES_PER_S } } : {})
  }
  const sched = isGo ? scheduler(url) : null
  const { load, extra } = await measureServer(context, server, {
    order,
    warmUp: context.warmUpSeconds === 0 ? null : { ...order, seconds: context.warmUpSeconds, probe: undefined },
    between: async () => {
      await sched?.begin()
    }
  })
  context.check(load.failed === 0, `${load.failed} of ${load.requests + load.failed} requests failed: ${JSON.stringify(load.errors)}`)
  context.check(load.requests > 0, 'no request was answered')
  context.check(load.probeFailed === 0, `${load.probeFailed} requests to /health failed`)
  const share = data.seconds === undefined ? 1 : context.seconds / data.seconds
  return {
    value: params.loop === undefined ? load.perSecond : load.requests / share,
    extra: { ...extra, ...await sched?.end() }
  }
}

/**
 * Requests that add to shared counters: their sum afterwards is the oracle.
 * @param {any} context
 * @param {import('../load/target/server').Server} server
 * @param {boolean} isGo
 */
async function update (context, server, isGo) {
  const { params, shared } = context
  const { url } = server.ready
  const order = { url: `${url}/update?updates=${params.updates}`, users: params.users, seconds: context.seconds, expect: { body: 'updated' } }
  const { load, warm, extra } = await measureServer(context, server, {
    order,
    warmUp: { ...order, seconds: Math.max(0.1, context.warmUpSeconds) }
  })
  context.check(load.failed === 0, `${load.failed} requests failed: ${JSON.stringify(load.errors)}`)
  const expected = (load.requests + Number(warm?.requests)) * params.updates
  const total = Number(await get(`${url}/total`))
  const lost = expected - total
  if (!params.racy) context.checkEqual(total, expected, `the sum of the counters (${total} after ${expected} updates)`)
  // On one core a thread is hardly ever interrupted between reading and writing.
  else context.check(shared.cores < 2 ? lost >= 0 : lost > 0, `the control that nothing guards lost ${lost} of ${expected} updates: it must lose some`)
  return {
    value: (load.requests * params.updates) / load.seconds,
    extra: { ...extra, lostUpdates: lost, lostPercent: (lost / expected) * 100 }
  }
}

/**
 * How long goroutines that could run waited for a processor: Go's counterpart of a loop's delay.
 * @param {string} url
 */
function scheduler (url) {
  /** @type {{ bounds: number[], counts: number[] }} */
  let before
  const read = async () => JSON.parse(await get(`${url}/sched`))
  return {
    begin: async () => { before = await read() },
    end: async () => {
      const { bounds, counts } = await read()
      let sum = 0
      const buckets = counts.map((/** @type {number} */ count, /** @type {number} */ i) => {
        sum += count - before.counts[i]
        return /** @type {[number, number]} */ ([bounds[i] ?? Infinity, sum])
      })
      return {
        schedP50Micros: quantileOfBuckets(buckets, 0.5) * MICROS_PER_S,
        schedP99Micros: quantileOfBuckets(buckets, 0.99) * MICROS_PER_S
      }
    }
  }
}
