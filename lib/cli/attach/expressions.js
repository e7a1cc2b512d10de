'use strict'

const { entryPoint } = require('../../tables/entry-points')
const { AGENT } = require('../../util/globals')

/** @import { Options } from '../../options/table' */

const START = entryPoint('start')

/** Node's own `process`: a browser's may have replaced it. `require` is the inspector's command line's. */
const PROCESS = "(globalThis.process?._debugEnd ? globalThis.process : require('node:process'))"

/** Most handles that are read, and of each other kind: about 20 ms of the main thread. */
const MOST = 2000

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
 * Requests in progress, queues of agents, DNS lookups and active resources, as lines of cells: V8 copies a text faster
 * than objects. Reads own data properties, so no getter or proxy of the application runs. V8 could check that, too
 * (throwOnSideEffect), but this pauses the process for 0.2 to 3 s. Reads no path, header or body.
 */
exports.WAITS = `(() => {
  const process = ${PROCESS}
  const { isProxy } = (process.getBuiltinModule?.('node:util') ?? require('node:util')).types
  const own = (object, name) =>
    object && !isProxy(object) ? Object.getOwnPropertyDescriptor(object, name)?.value : undefined
  const ownText = (object, name) => {
    const text = own(object, name)
    return typeof text === 'string' ? text.slice(0, 100) : ''
  }
  const handles = process._getActiveHandles()
  const first = (list) => list.slice(0, ${MOST})
  const agents = new Set()
  const messages = []
  let kHandle
  for (const socket of first(handles)) {
    const message = own(socket, '_httpMessage')
    if (!message) continue
    const served = own(message, 'req')
    const phase = (served ? own(message, '_header') : own(message, 'res'))
      ? served && own(message, 'finished') ? 'whose answer the client has not taken' : 'with a part of the answer'
      : own(socket, 'connecting')
        ? 'connecting'
        : own(socket, '_secureEstablished') === false ? 'in the TLS handshake' : 'without an answer'
    kHandle ??= Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'kHandle')
    const method = ownText(served ?? message, 'method')
    const name = method + (served ? ' of a client' : ' to ' + ownText(message, 'host'))
    messages.push([own(socket, kHandle)?.fd, name, phase].join('\\t'))
    agents.add(own(message, 'agent'))
  }
  const queues = []
  for (const agent of agents) {
    const [waiting, sockets] = [own(agent, 'requests'), own(agent, 'sockets')]
    for (const name of waiting && !isProxy(waiting) ? first(Object.keys(waiting)) : []) {
      // The rest of the name may have a path and certificates.
      const requests = own(waiting, name)
      const host = ownText(own(requests, 0), 'host')
      const port = parseInt(name.slice(host.length + 1)) || ''
      queues.push([own(requests, 'length'), own(own(sockets, name), 'length') ?? 0, host, port].join('\\t'))
    }
  }
  const lookups = first(process._getActiveRequests()).map((request) => ownText(request, 'hostname'))
  const resources = process.getActiveResourcesInfo?.() ?? []
  const more = handles.length - ${MOST}
  const omitted = more > 0 ? [more + ' more handles, which were not read'] : []
  return [messages, first(queues), lookups, resources, omitted].map((lines) => lines.join('\\n'))
})()`

/**
 * Does nothing after `untilMs` (wall time), when we no longer wait. The value is 'started', 'running' if there is an
 * agent already, or the reason why none can start.
 * @param {Options} options @param {number} untilMs
 */
exports.startAgent = (options, untilMs) => `(() => {
  if (Date.now() > ${untilMs}) return 'the process was busy for too long'
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
