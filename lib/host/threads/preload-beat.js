'use strict'

// Every worker thread that runs the preload loads this file. Modules that a beat needs are loaded only if it beats.
const { wantedBeats } = require('../../bridge/thread-beats')

/** @import { BeatOptions } from '../../bridge/thread-beats' */

/** Time after which the thread announces itself again if the watchdog does not listen yet. It doubles each time. */
const AGAIN_MS = 100
const HEARD_MS = 30_000

/** Beats into shared memory, to show blocks exactly: no inspector, no global, nothing that keeps the thread alive. */
exports.beatIfWanted = () => {
  const wanted = wantedBeats()
  if (wanted !== null) beat(wanted)
}

/** @param {BeatOptions} options */
function beat (options) {
  const process = require('../../util/process')
  const workerThreads = require('node:worker_threads')
  const { nowMs } = require('../../util/clock')
  const { createMemory, openBridge } = require('../../bridge/memory')
  const { startHeartbeat } = require('../sense/heartbeat')
  const { nameOf, nativeId, script, broadcast } = require('./announce')
  const memory = createMemory()
  const bridge = openBridge(memory)
  const { counters } = bridge
  const tid = nativeId()
  // threadName is absent from 20 and 22.19.
  const name = nameOf(/** @type {{ threadName?: string }} */ (workerThreads).threadName, script())
  const announce = () => broadcast({ memory, threadId: workerThreads.threadId, name, tid })
  let waitMs = AGAIN_MS
  let lastAtMs = nowMs()
  const isWanted = () => {
    // Another watchdog may have taken the place of the one that heard the announcement.
    if (nowMs() - lastAtMs >= (counters.get('heard') === 0 ? waitMs : HEARD_MS)) {
      waitMs *= 2
      lastAtMs = nowMs()
      try {
        announce()
      } catch {
        // The application must not see the error.
      }
    }
    return counters.get('released') === 0
  }
  startHeartbeat(bridge, { ...options, isWanted })
  // On Linux the kernel shows that the thread has ended.
  if (tid === null) process.once('exit', () => counters.add('ended', 1))
  announce()
}
