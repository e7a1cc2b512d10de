'use strict'

const { entryPoint } = require('../../tables/entry-points')
const { AGENT } = require('../../util/agent-global')

const START = entryPoint('start')

/** Node's own `process`, even if a browser's has replaced it. `require` is the one of the inspector's command line. */
const PROCESS = "(globalThis.process?._debugEnd ? globalThis.process : require('node:process'))"

exports.PID = `${PROCESS}.pid`

/**
 * Closes the inspector and with it the connection, so there is no answer. If SIGUSR1 has interrupted a busy loop,
 * Node.js opens the inspector a second time when that loop turns again (22.23, 24.21, 26.10), so it is closed again
 * then: its check phase comes after the events of the next turn, or of the one after that.
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

/** The frames of the main thread, innermost first; none if it waits for events. Restores the application's settings. */
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
 * Starts an agent in the process, unless it is evaluated after `untilMs` (wall time), when we no longer wait for it.
 * The value is 'started', 'running' if there is one already, or the reason why none can start.
 * @param {import('../../options/table').Options} options @param {number} untilMs
 */
exports.startAgent = (options, untilMs) => `(() => {
  if (Date.now() > ${untilMs}) return 'it was busy for too long'
  if (${AGENT}) return 'running'
  const process = ${PROCESS}
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) return 'Node.js ' + process.versions.node + ' is older than 20.19'
  try {
    process.getBuiltinModule('node:module').createRequire(${JSON.stringify(START)})(${JSON.stringify(START)}).visit(${JSON.stringify(options)})
    return 'started'
  } catch (error) {
    return String(error && error.message)
  }
})()`

/** The promise needs the event loop of the process: if that is stuck, there is no answer. */
exports.AGENT_URL = `${AGENT}.ready.then(({ url }) => url)`

/** Stops only an agent that we started: the application may have started its own meanwhile. */
exports.STOP_AGENT = `if (${AGENT} && Symbol.for("loopwatch.visits.1") in ${AGENT}) void ${AGENT}.stop()`
