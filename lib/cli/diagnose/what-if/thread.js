'use strict'

// Runs beside the application's main thread: stops that one at a few calls of a function to have its arguments and
// results measured, then profiles it.
const fs = require('node:fs')
const { Session } = require('node:inspector')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { workerData } = require('node:worker_threads')
const { stateOf } = require('./free-of-state')

const POLL_MS = 50
/** Records name a function that has no name by what it is for. */
const NAMELESS = /[ (]/
const CALLS = 3
/** Of a minified file a line is the whole. */
const MOST_IN_LINE = 50
/** Returns of inner calls, before it is given up. */
const MOST_INNER = 200
const INTERVAL_US = 1000
const SAME_CLOCK_US = 1e6
const OWN = 'globalThis[Symbol.for("loopwatch.what-if")]'

/** @typedef {import('node:inspector').Debugger.CallFrame} CallFrame */

/** @type {{ folder: string, file: string, name: string, line: number }} */
const { folder, file, name, line } = workerData
const session = new Session()
/** @type {(method: string, params?: object) => Promise<any>} */
const post = (method, params) => new Promise((resolve, reject) => {
  session.post(method, params, (error, result) => error ? reject(new Error(error.message)) : resolve(result))
})
/** The function, once it was met. @type {import('node:inspector').Debugger.Location | null} */
let found = null
/** @type {string | null} */
let reason = null
/** Where it begins and where it ends. @type {{ entry: object, returns: object[] }} */
let at = { entry: {}, returns: [] }
/** @type {string[]} breakpoints that are set */
const set = []
/** Of the stack of the call that is measured; 0 = none is. */
let depth = 0
let [calls, inner] = [0, 0]
let isCapturing = true

/** @param {CallFrame[]} callFrames */
async function paused (callFrames) {
  const [frame] = callFrames
  if (found === null) return meet(callFrames)
  if (depth === 0) return enter(frame, callFrames.length)
  if (callFrames.length > depth) return inner++ > MOST_INNER ? finish('it calls itself') : undefined
  return leave(frame)
}

/** A line may have code of several functions. @param {string} scriptId */
async function watchLine (scriptId) {
  const [start, end] = [line - 1, line].map((lineNumber) => ({ scriptId, lineNumber, columnNumber: 0 }))
  const { locations } = await post('Debugger.getPossibleBreakpoints', { start, end })
  if (found === null) await breakAt(locations.slice(0, MOST_IN_LINE))
}

/** @param {object[]} locations */
async function breakAt (locations) {
  for (const breakpointId of set.splice(0)) await post('Debugger.removeBreakpoint', { breakpointId })
  for (const location of locations) set.push((await post('Debugger.setBreakpoint', { location })).breakpointId)
}

/** The function runs: its line was reached, by itself or by what it calls. @param {CallFrame[]} callFrames */
async function meet (callFrames) {
  const own = name.split('.').pop()
  const frame = NAMELESS.test(name)
    ? callFrames[0]
    : callFrames.find(({ functionName }) => functionName.split('.').pop() === own)
  if (frame?.functionLocation === undefined) return
  found = frame.functionLocation
  const { locations } = await post('Debugger.getPossibleBreakpoints', { start: found, restrictToFunction: true })
  const entry = locations.find((/** @type {{ type?: string }} */ { type }) => type !== 'return')
  at = { entry, returns: locations.filter((/** @type {{ type?: string }} */ { type }) => type === 'return') }
  const why = await dependsOn(frame)
  return why === null ? breakAt([at.entry]) : finish(why)
}

/** @param {CallFrame} frame */
async function dependsOn ({ scopeChain, location: { scriptId } }) {
  const local = scopeChain.findIndex(({ type }) => type === 'local')
  const { scriptSource } = await post('Debugger.getScriptSource', { scriptId })
  const lines = scriptSource.split('\n')
  const { lineNumber, columnNumber = 0 } = /** @type {NonNullable<typeof found>} */ (found)
  if (/(\basync\b[^;{}()=,]*|\*\s*[\w$]*\s*)$/.test(lines[lineNumber].slice(0, columnNumber))) return 'it is asynchronous: what it calls may be moved'
  const end = scopeChain[local]?.endLocation?.lineNumber ?? lineNumber
  const source = [lines[lineNumber].slice(columnNumber), ...lines.slice(lineNumber + 1, end + 1)].join('\n')
  const around = scopeChain.slice(local + 1).filter(({ type }) => type !== 'global' && type !== 'script')
  const scopes = await Promise.all(around.map(async ({ type, object: { objectId }, startLocation }) => ({
    type,
    isModule: type === 'module' || (startLocation?.lineNumber === 0 && !startLocation.columnNumber),
    variables: (await post('Runtime.getProperties', { objectId, ownProperties: true })).result.map((/** @type {any} */ { name, value }) => ({ name, className: value?.className, subtype: value?.subtype }))
  })))
  isArrow = /^(\([^]*?\)|[\w$]+)\s*=>/.test(source)
  parameters = isArrow ? /^(?:\(([^]*?)\)|([\w$]+))\s*=>/.exec(source)?.slice(1).join(' ').match(/[\p{L}$_][\p{L}\d$_]*/gu) ?? [] : []
  return stateOf(source, scopes)
}

/** An arrow function has no `arguments` of its own. */
let isArrow = false
/** @type {string[]} */
let parameters = []

/** @param {CallFrame} frame @param {number} length of the stack */
async function enter ({ callFrameId }, length) {
  depth = length
  const given = isArrow ? `[${parameters.join()}]` : '[...arguments]'
  const { result } = await post('Debugger.evaluateOnCallFrame', { callFrameId, expression: `${OWN}.enter(${given})`, returnByValue: true, silent: true })
  return result.value === null ? breakAt(at.returns) : finish(result.value ?? 'its arguments could not be read')
}

/** @param {CallFrame} frame */
async function leave ({ returnValue, scopeChain: [{ object }] }) {
  depth = 0
  const { objectId, value, unserializableValue } = returnValue ?? {}
  const { result } = await post('Runtime.callFunctionOn', {
    objectId: object.objectId,
    functionDeclaration: `function (result) { return ${OWN}.leave(result) }`,
    arguments: [objectId === undefined ? { value, unserializableValue } : { objectId }],
    returnByValue: true,
    silent: true
  })
  if (result.value !== null || ++calls === CALLS) return finish(result.value ?? null)
  return breakAt([at.entry])
}

/** The application runs freely from here on. @param {string | null} why it is unknown */
async function finish (why) {
  isCapturing = false
  reason = why
  await post('Debugger.disable')
  mark('captured')
}

/** @param {string} marker */
const mark = (marker) => fs.writeFileSync(path.join(folder, marker), '')

/** @param {string} marker */
const asked = async (marker) => {
  while (!fs.existsSync(path.join(folder, marker))) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
}

async function main () {
  // A session alone does not keep a thread alive until its answers have come.
  const alive = setInterval(() => {}, POLL_MS)
  session.connectToMainThread()
  session.on('Debugger.paused', ({ params: { callFrames } }) => {
    paused(callFrames)
      .catch((error) => finish(error.message))
      // It runs already where the debugger has gone.
      .then(() => isCapturing ? post('Debugger.resume') : undefined)
      .catch(() => {})
  })
  session.on('Debugger.scriptParsed', ({ params: { url, scriptId } }) => {
    if (url === file || url === pathToFileURL(file).href) watchLine(scriptId).catch(() => {})
  })
  await post('Debugger.enable')
  await asked('record')
  if (isCapturing) await finish(calls > 0 ? null : found === null ? `${name} was not met in ${file}` : 'no call of it ended in time')
  await post('Profiler.enable')
  await post('Profiler.setSamplingInterval', { interval: INTERVAL_US })
  await post('Runtime.evaluate', { expression: `${OWN}.record()` })
  await post('Profiler.start')
  const [s, ns] = process.hrtime()
  mark('recording')
  await asked('stop')
  const { profile } = await post('Profiler.stop')
  const offByUs = s * 1e6 + ns / 1e3 - profile.startTime
  // Not everywhere does V8 count from the same zero as Node.js.
  if (Math.abs(offByUs) > SAME_CLOCK_US) profile.startTime += offByUs
  const { result } = await post('Runtime.evaluate', { expression: `${OWN}.taken()`, returnByValue: true })
  session.disconnect()
  clearInterval(alive)
  const whole = path.join(folder, 'result.json')
  fs.writeFileSync(`${whole}.part`, JSON.stringify({ reason, location: found, profile, ...result.value }))
  fs.renameSync(`${whole}.part`, whole)
}

main().catch(({ message }) => fs.writeFileSync(path.join(folder, 'result.json'), JSON.stringify({ reason: message })))
