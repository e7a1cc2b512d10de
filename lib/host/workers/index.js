'use strict'

const { unwantBeats, wantBeats, CALM_MS } = require('../../bridge/worker-beats')
const { OutsideWatch } = require('./outside-watch')

/**
 * What the main thread has for watching the application's worker threads.
 * @typedef {object} Threads
 * @property {ReturnType<typeof import('./inspector-proxy').createInspectorProxy> | undefined} callWorkers the way to
 * their inspectors, where that is wanted
 * @property {() => import('./outside-watch').OutsideWatch['known']} known those that are looked at from outside
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
  if (options.threads === 'off') return { callWorkers: undefined, known: () => [], stop: () => {} }
  if (options.threads === 'on') {
    // Loaded only then: the default does without.
    const { openExitLock, closeExitLock } = require('../../bridge/worker-exit-lock')
    const { createInspectorProxy } = require('./inspector-proxy')
    const { WorkerTracker } = require('./tracker')
    const exitLock = openExitLock()
    const workers = new WorkerTracker(post, exitLock)
    return {
      callWorkers: createInspectorProxy(bridge, exitLock, workers),
      known: () => [],
      stop: () => {
        workers.stop()
        closeExitLock()
      }
    }
  }
  wantBeats({ ...options, calmPeriod: Math.max(options.calmPeriod, CALM_MS) })
  const looks = new OutsideWatch(options, post, isOurs)
  return {
    callWorkers: undefined,
    known: () => looks.known,
    stop: () => {
      looks.stop()
      unwantBeats()
    }
  }
}
