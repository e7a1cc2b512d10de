'use strict'

const { startDriver } = require('../load/driver')
const { capacityKey, orderOf, start } = require('./order')
const { openTable } = require('./table')

const WARM_UP_S = 1
const MEASURED_S = 1
/** What else runs makes a server slower, never faster: the best is closest to what it can do. */
const TRIES = 3

/**
 * What one process answers in a closed loop, before anything else is measured: rates of open loops are shares of it,
 * as a rate that suits one machine drowns or bores the next.
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
