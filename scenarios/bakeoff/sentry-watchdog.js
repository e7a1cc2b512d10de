'use strict'

// The watchdog thread of Sentry's module, as its README has it.
const { workerData } = require('node:worker_threads')
const { captureStackTrace, getThreadsLastSeen } = require('@sentry-internal/node-native-stacktrace')
const { tell } = require('./channel')

const { thresholdMs, checkMs } = workerData
const MAIN = '0'
let id = 0
let wasBlocked = false

setInterval(() => {
  const durationMs = getThreadsLastSeen()[MAIN]
  const isBlocked = durationMs > thresholdMs
  if (isBlocked) {
    if (!wasBlocked) id++
    const { frames, asyncState } = /** @type {any} */ (captureStackTrace()[MAIN] ?? {})
    tell('report', { atMs: Date.now(), id: `${id}`, durationMs, frames, route: asyncState?.route ?? null })
  }
  wasBlocked = isBlocked
}, checkMs)
