'use strict'

const { startDriver } = require('../load/driver')
const { capacityKey, orderOf, start } = require('./order')
const { openTable } = require('./table')

const WARM_UP_S = 1
const MEASURED_S = 1
/** Other programs make a server slower, never faster, so the best run is closest to its capacity. */
const TRIES = 3

/**
 * Capacity of one process in a closed loop, measured first. Rates of open loops are shares of it, because a rate that
 * suits one machine overloads another or leaves it idle.
 * @param {import('../harness/interface').CellPlan[]} cells that have a share, planned as `single`
 * @param {any} shared
 * @param {AbortSignal} signal
 * @returns {Promise<Record<string, number>>} requests/s
 */
exports.measureCapacity = async (cells, shared, signal) => {
  /** @type {Record<string, number>} */
  const capacity = {}
  for (const { params, data } of cells) {
    const key = capacityKey(params)
    if (key in capacity || signal.aborted) continue
    const table = data?.usesDatabase ? await openTable(shared.databaseUrl) : null
    const driver = await startDriver()
    try {
      const server = await start({ params, data, shared })
      try {
        await driver.run(orderOf({ params, data, shared }, server.ready.url, { seconds: WARM_UP_S }))
        capacity[key] = 0
        for (let i = 0; i < TRIES; i++) {
          const { perSecond, failed, errors } = await driver.run(
            orderOf({ params, data, shared }, server.ready.url, { seconds: MEASURED_S })
          )
          if (failed > 0 || perSecond === 0) throw new Error(`what one process can do with ${key} connections could not be measured: ${JSON.stringify(errors)}`)
          capacity[key] = Math.max(capacity[key], perSecond)
        }
      } finally {
        await server.stop()
      }
    } finally {
      driver.stop()
      await table?.close()
    }
  }
  return capacity
}
