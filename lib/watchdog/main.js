'use strict'

const { parentPort, workerData } = require('node:worker_threads')
const { Watchdog } = require('./watchdog')
const { CALL, STOP, REPLY, LEAD } = require('../bridge/messages')

/** The entry of the watchdog's thread: starts it and passes on what the host asks. */
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
const watchdog = new Watchdog(workerData, (message) => port.postMessage(message))

port.on('message', async ({ code, id, method }) => {
  if (code === STOP) {
    watchdog.stop()
    port.close()
  } else if (code === LEAD) {
    watchdog.lead()
  } else if (code === CALL) {
    port.postMessage({ code: REPLY, id, value: await watchdog.answer(method) })
  }
})
