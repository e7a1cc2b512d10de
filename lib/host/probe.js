'use strict'

const { nowMs } = require('../clock')
const { FIELD, LINE } = require('../bridge/answer')

// The probe runs at a V8 interrupt, on top of whatever the application is doing. It calls nothing
// that the application could have replaced: everything is bound here, at load.
const captureStackTrace = Error.captureStackTrace
const eventLoopUtilization = performance.eventLoopUtilization.bind(performance)
const getOwnPropertyDescriptor = Object.getOwnPropertyDescriptor
const defineProperty = Object.defineProperty
const slice = Function.prototype.call.bind(String.prototype.slice)
const indexOf = Function.prototype.call.bind(String.prototype.indexOf)

const FRAMES = 64
const NAME_CHARS = 200
const PATH_CHARS = 1024

/**
 * The frames of the running code as V8 call sites. A handler of the application
 * (source-map-support: slow) is set aside for the capture; Error is left as it was found, an
 * absent property included.
 * @returns {NodeJS.CallSite[]}
 */
function callSites () {
  const limit = getOwnPropertyDescriptor(Error, 'stackTraceLimit')
  const prepare = getOwnPropertyDescriptor(Error, 'prepareStackTrace')
  const holder = /** @type {{ stack?: any }} */ ({})
  try {
    defineProperty(Error, 'stackTraceLimit', { value: FRAMES, configurable: true, writable: true, enumerable: true })
    defineProperty(Error, 'prepareStackTrace', { value: takeCallSites, configurable: true, writable: true, enumerable: true })
    captureStackTrace(holder, callSites)
    return typeof holder.stack === 'object' ? holder.stack : []
  } finally {
    restore('stackTraceLimit', limit)
    restore('prepareStackTrace', prepare)
  }
}

/** @param {Error} _ @param {NodeJS.CallSite[]} sites */
function takeCallSites (_, sites) {
  return sites
}

/** @param {'stackTraceLimit' | 'prepareStackTrace'} name @param {PropertyDescriptor | undefined} found */
function restore (name, found) {
  if (found) defineProperty(Error, name, found)
  else delete Error[name]
}

/** @param {NodeJS.CallSite[]} sites */
function writeFrames (sites) {
  let text = ''
  // The innermost three are our own two and the inspector's expression that called them.
  for (let i = 3; i < sites.length; i++) {
    const site = sites[i]
    const name = site.getFunctionName()
    const file = site.getFileName() ?? (site.isEval() ? site.getEvalOrigin() : null)
    text += (site.getLineNumber() ?? '') + FIELD + (site.getColumnNumber() ?? '') + FIELD + (file ?? '') + FIELD +
      (name ? slice(name, 0, NAME_CHARS) : '') + LINE
  }
  return text
}

/** @param {import('./context').Context | undefined} context */
function writeRequest (context) {
  if (context === undefined) return FIELD + FIELD
  const query = indexOf(context.url, '?')
  const path = slice(context.url, 0, query === -1 ? PATH_CHARS : query < PATH_CHARS ? query : PATH_CHARS)
  return context.id + FIELD + context.startedAtMs + FIELD + context.method + FIELD + path
}

/**
 * The function the watchdog has evaluated on the host thread in the middle of a block. It answers
 * into shared memory where the host is, in which request, and how long its loop has idled.
 * @param {import('../bridge/bridge').Bridge} bridge
 * @param {() => import('./context').Context | undefined} currentContext
 */
exports.createProbe = ({ answer, beat }, currentContext) =>
  /**
   * @param {unknown} debuggerUrl `inspector.url()` of this thread
   * @param {number} [relayedAtMs] when the main thread passed the question on, where this is another
   */
  function probe (debuggerUrl, relayedAtMs) {
    const { question } = answer
    if (question === 0) return
    const debugged = debuggerUrl !== undefined
    answer.answer(question, nowMs() + FIELD + eventLoopUtilization().idle + FIELD + beat.beats + FIELD + debugged + FIELD +
      (relayedAtMs ?? '') + FIELD + writeRequest(currentContext()) + LINE + (debugged ? '' : stack()))
  }

/** A frozen Error cannot be set aside for; the rest of the answer is worth as much without frames. */
function stack () {
  try {
    return writeFrames(callSites())
  } catch {
    return ''
  }
}
