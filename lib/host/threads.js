'use strict'

const { openGate, closeGate } = require('../bridge/thread-gate')
const { createRelay } = require('./relay')
const { WorkerList } = require('./worker-list')

/** Where worker threads of the application are not watched. */
const nothing = { relay: undefined, stop: () => {} }

/**
 * What the main thread has for watching the application's worker threads.
 * @param {{ threads: string }} options
 * @param {Pick<import('../bridge/bridge').Bridge, 'counters'>} bridge
 * @param {(message: object) => void} post to the watchdog
 */
exports.startThreads = (options, bridge, post) => {
  if (options.threads === 'off') return nothing
  const gate = openGate()
  const workers = new WorkerList(post, gate)
  return {
    relay: createRelay(bridge, gate, workers),
    stop: () => {
      workers.stop()
      closeGate()
    }
  }
}
