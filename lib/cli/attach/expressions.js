'use strict'

const { entryPoint } = require('../../tables/entry-points')
const { AGENT } = require('../../util/agent-global')

const START = entryPoint('start')

/**
 * Node's own, also where the application has put a browser's in place of its global one: `require` is then that of
 * the inspector's command line.
 */
const PROCESS = "(globalThis.process?._debugEnd ? globalThis.process : require('node:process'))"

/** Which process answers. */
exports.PID = `${PROCESS}.pid`

/** Cuts the connection before it can be answered. */
exports.CLOSE = `${PROCESS}._debugEnd()`

/**
 * Where the main thread is: its frames, innermost first; none = it waits for events. The
 * application's own settings of Error are left as they are.
 */
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
 * Starts an agent in the process, unless it comes to that later than anybody waits for. Gives 'started', 'running'
 * where there is one, or why it cannot be.
 * @param {import('../../options/table').Options} options
 * @param {number} untilMs wall time
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

/** Needs the loop of the process: a stuck one does not answer. */
exports.AGENT_URL = `${AGENT}.ready.then(({ url }) => url)`

/** Unless the application has started one of its own meanwhile. */
exports.STOP_AGENT = `if (${AGENT} && Symbol.for("loopwatch.visits.1") in ${AGENT}) void ${AGENT}.stop()`
