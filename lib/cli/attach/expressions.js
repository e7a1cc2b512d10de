'use strict'

const { entryPoint } = require('../../tables/entry-points')
const { AGENT } = require('../../util/globals')

/** @import { Options } from '../../options/table' */

const START = entryPoint('start')

/** Node's own `process`: a browser's may have replaced it. `require` is the inspector's command line's. */
const PROCESS = "(globalThis.process?._debugEnd ? globalThis.process : require('node:process'))"

exports.PID = `${PROCESS}.pid`

/**
 * Closes the inspector and with it the connection, so there is no answer. If SIGUSR1 interrupted a busy loop, Node.js
 * opens the inspector again when the loop turns (22.23, 24.21, 26.10). That is an event of the next turn or of the one
 * after, and immediates come behind a turn's events: so those of three turns close it again.
 */
exports.CLOSE = `(() => {
  const process = ${PROCESS}
  let turns = 3
  const close = () => {
    if (--turns > 0) setImmediate(close)
    process._debugEnd()
  }
  const { setImmediate } = process.getBuiltinModule?.('node:timers') ?? globalThis
  close()
})()`

/** The main thread's frames, innermost first; none if it waits for events. Restores the application's settings. */
exports.STACK = `(() => {
  const { stackTraceLimit, prepareStackTrace } = Error
  try {
    Error.stackTraceLimit = 60
    Error.prepareStackTrace = undefined
    return String(new Error().stack).split('\\n').slice(3).map((line) => line.trim())
  } finally {
    Error.stackTraceLimit = stackTraceLimit
    Error.prepareStackTrace = prepareStackTrace
  }
})()`

/**
 * Does nothing after `untilMs` (wall time), when we no longer wait. The value is 'started', 'running' if there is an
 * agent already, or the reason why none can start.
 * @param {Options} options @param {number} untilMs
 */
exports.startAgent = (options, untilMs) => `(() => {
  if (Date.now() > ${untilMs}) return 'it was busy for too long'
  // One that an earlier visit left behind makes way.
  if (${AGENT} && !(Symbol.for("loopwatch.visits.1") in ${AGENT})) return 'running'
  const process = ${PROCESS}
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) return 'Node.js ' + process.versions.node + ' is older than 20.19'
  try {
    const { createRequire } = process.getBuiltinModule('node:module')
    const start = ${JSON.stringify(START)}
    createRequire(start)(start).visit(${JSON.stringify(options)})
    return 'started'
  } catch (error) {
    return String(error && error.message)
  }
})()`

/** The promise needs the event loop of the process: a stuck one gives no answer. */
exports.AGENT_URL = `${AGENT}.ready.then(({ url }) => url)`

/** Stops only our agent: the application may have started its own meanwhile. */
exports.STOP_AGENT = `if (${AGENT} && Symbol.for("loopwatch.visits.1") in ${AGENT}) void ${AGENT}.stop()`
