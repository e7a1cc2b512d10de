'use strict'

const { median } = require('../harness/measure/stats')
const { load, SERVER_CORE, LOAD_CORE } = require('./server/load')
const { ServerProcess } = require('./server/server-process')

/** wrk takes whole seconds. */
const BURST_S = 1

/** @typedef {import('./server/load').Burst & { cpuUs: number }} Measured */

/**
 * The other server idles on the load's core meanwhile: what idling costs an agent would be taken from
 * the server it is compared with.
 * @param {ServerProcess} server
 * @param {ServerProcess} other
 * @returns {Promise<Measured>}
 */
async function burst (server, other) {
  other.runOn(LOAD_CORE)
  server.runOn(SERVER_CORE)
  const from = await server.usage()
  const result = await load(server.url, BURST_S)
  const to = await server.usage()
  return { ...result, cpuUs: (to.cpuMs - from.cpuMs) * 1000 / (to.answered - from.answered) }
}

/**
 * An unwatched server and a watched one, both fresh: short bursts of load go to the one and the other in
 * turn, each on the same core, and are compared burst by burst, so that the machine's ups and downs
 * meet both. The sample is the median of the bursts' ratios.
 * @param {any} context
 */
exports.run = async (context) => {
  const servers = [new ServerProcess('nothing', context.params), new ServerProcess(context.variant, context.params)]
  const [bare, watched] = servers
  try {
    for (const server of servers) await server.ready()
    context.watch([])
    if (context.warmUpSeconds > 0) for (const { url } of servers) await load(url, Math.ceil(context.warmUpSeconds / 2))
    /** @type {{ bare: Measured, watched: Measured }[]} */
    const pairs = []
    await context.measure(async () => {
      for (let i = 0; i < Math.max(1, Math.floor(context.seconds / 2 / BURST_S)); i++) {
        const pair = i % 2 === 0
          ? { bare: await burst(bare, watched), watched: await burst(watched, bare) }
          : { watched: await burst(watched, bare), bare: await burst(bare, watched) }
        pairs.push(pair)
        context.count(pair.bare.requests + pair.watched.requests)
      }
    })
    const failed = pairs.reduce((sum, pair) => sum + pair.bare.failed + pair.watched.failed, 0)
    context.checkEqual(failed, 0, `the number of failed requests (${failed})`)
    await watched.checkCount(context)
    const ratio = (/** @type {'requestsPerSecond' | 'p50Ms' | 'p99Ms' | 'cpuUs'} */ key) =>
      median(pairs.map((pair) => pair.watched[key] / pair.bare[key]))
    const [bareUsage, watchedUsage] = [await bare.usage(), await watched.usage()]
    return {
      value: ratio('requestsPerSecond'),
      extra: {
        p50Ratio: ratio('p50Ms'),
        p99Ratio: ratio('p99Ms'),
        cpuRatio: ratio('cpuUs'),
        rssMb: watchedUsage.rssMb - bareUsage.rssMb,
        startMs: watched.startMs,
        bareRequestsPerSecond: median(pairs.map((pair) => pair.bare.requestsPerSecond))
      }
    }
  } finally {
    for (const server of servers) server.stop()
  }
}
