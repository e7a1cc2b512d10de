'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { ServerProcess } = require('../server/server-process')

/**
 * Compilers and collectors are busy for some seconds after startup, and a watcher that takes less once nothing has
 * happened for a while may do so: the agent's watchdog does after ten seconds.
 */
const SETTLE_S = 20

/**
 * CPU time of a server that nobody asks, above that of an unwatched one, wake-ups and memory of both.
 * @param {any} context
 */
exports.run = async (context) => {
  const servers = [new ServerProcess('nothing', context.params), new ServerProcess(context.variant, context.params)]
  try {
    for (const server of servers) await server.ready()
    context.watch([])
    if (context.warmUpSeconds > 0) await sleep(SETTLE_S * 1000)
    const [bare, watched] = await context.measure(() =>
      Promise.all(servers.map((server) => server.idle(context.seconds)))
    )
    const [bareUsage, watchedUsage] = [await servers[0].usage(), await servers[1].usage()]
    context.checkEqual([bareUsage.answered, watchedUsage.answered], [0, 0], 'the number of requests of an idle server')
    return {
      value: watched.cpuPercent - bare.cpuPercent,
      extra: {
        cpuPercent: watched.cpuPercent,
        bareCpuPercent: bare.cpuPercent,
        // Elsewhere than on Linux nobody counts them.
        ...(watched.wakeUpsPerSecond === null
          ? {}
          : { wakeUps: watched.wakeUpsPerSecond, bareWakeUps: Number(bare.wakeUpsPerSecond) }),
        rssMb: watchedUsage.rssMb - bareUsage.rssMb,
        bareRssMb: bareUsage.rssMb,
        startMs: servers[1].startMs
      }
    }
  } finally {
    for (const server of servers) server.stop()
  }
}
