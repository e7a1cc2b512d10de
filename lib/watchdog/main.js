'use strict'

const { parentPort, workerData } = require('node:worker_threads')
const { followEpoch } = require('../util/clock')
const { Watchdog } = require('./watchdog')
const { CALL, STOP, REPLY } = require('../bridge/messages')

/** The entry of the watchdog's thread: starts the watchdog and passes the host's messages to it. */
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
followEpoch(workerData.epochMs)
const watchdog = new Watchdog(workerData, (message) => port.postMessage(message))

port.on('message', async (message) => {
  const { code, id, method } = message
  if (code === STOP) {
    await watchdog.stop()
    port.close()
  } else if (code === CALL) {
    // A question that cannot be answered must not end the watchdog: the host has a fallback.
    const value = await watchdog.answer(method).catch(() => undefined)
    port.postMessage({ code: REPLY, id, value })
  } else {
    watchdog.receive(message)
  }
})
