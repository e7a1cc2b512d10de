'use strict'

const { unwantBeats, wantBeats, CALM_MS } = require('../../bridge/worker-beats')
const { openGate, closeGate } = require('../../bridge/worker-exit-lock')
const { createRelay } = require('./inspector-proxy')
const { ThreadLooks } = require('./outside-watch')
const { WorkerList } = require('./tracker')

/**
 * What the main thread has for watching the application's worker threads.
 * @typedef {object} Threads
 * @property {ReturnType<typeof createRelay> | undefined} relay the way to their inspectors, where that is wanted
 * @property {() => import('./outside-watch').ThreadLooks['known']} known those that are looked at from outside
 * @property {() => void} stop
 */

/**
 * @param {import('../../options/table').ResolvedOptions} options
 * @param {Pick<import('../../bridge/memory').Bridge, 'counters'>} bridge
 * @param {(message: object) => void} post to the watchdog
 * @param {() => boolean} isOurs whether the worker thread that begins at this moment is the watchdog's
 * @returns {Threads}
 */
exports.startThreads = (options, bridge, post, isOurs) => {
  if (options.threads === 'off') return { relay: undefined, known: () => [], stop: () => {} }
  if (options.threads === 'on') {
    const gate = openGate()
    const workers = new WorkerList(post, gate)
    return {
      relay: createRelay(bridge, gate, workers),
      known: () => [],
      stop: () => {
        workers.stop()
        closeGate()
      }
    }
  }
  wantBeats({ ...options, calmPeriod: Math.max(options.calmPeriod, CALM_MS) })
  const looks = new ThreadLooks(options, post, isOurs)
  return {
    relay: undefined,
    known: () => looks.known,
    stop: () => {
      looks.stop()
      unwantBeats()
    }
  }
}
