'use strict'

// The watchdog thread of Sentry's module, as its README has it.
const { workerData } = require('node:worker_threads')
const { captureStackTrace, getThreadsLastSeen } = require('@sentry-internal/node-native-stacktrace')
const { tell } = require('./channel')
const { MAIN } = require('./thread-name')

const { thresholdMs, checkMs } = workerData
const MAIN_ID = '0'
let count = 0
/** Numbers of the blocks in progress, by thread. @type {Map<string, number>} */
const ids = new Map()

setInterval(() => {
  for (const [thread, durationMs] of Object.entries(getThreadsLastSeen())) {
    if (durationMs > thresholdMs) {
      if (!ids.has(thread)) ids.set(thread, ++count)
      const { frames, asyncState } = /** @type {any} */ (captureStackTrace()[thread] ?? {})
      tell('report', { atMs: Date.now(), id: `${ids.get(thread)}`, durationMs, frames, route: asyncState?.route ?? null, thread: thread === MAIN_ID ? MAIN : thread })
    } else ids.delete(thread)
  }
}, checkMs)
