'use strict'

// The cost of a CPU profile for its thread, in small and large applications:
//   node scenarios/overhead/checks/profile-rotation.js [functions…]          default 50 10000
// `own` is the agent's way: the next profile begins before the last one ends. `plain` is Profiler.stop and
// Profiler.start from another thread, through a session with the main thread; `unanswered`: the time that
// thread was kept by a question whose answer had not come when the process was ended. Each in a process of its own.
const { spawn } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { createMemory, openBridge } = require('../../../lib/bridge/memory')
const { nowMs } = require('../../../lib/util/clock')
const { HostProfiler } = require('../../../lib/host/sense/profile/profiler')

const ROUNDS = 5
/** The agent's default. */
const THRESHOLD_MS = 50
const INTERVAL_MICROS = 20000
/** Length of a profile while nothing blocks, as in the agent. */
const WINDOW_MS = 2000
/** Calls within calls, of ever other functions: the more stacks there are the more is to be written. */
const DEPTH = 10
/** A process that has not ended by then is ended: a rotation that takes that long is what is looked for. */
const DEADLINE_MS = 40000
const FUNCTIONS_A_FILE = 100
/** A call takes well under that; longer than this something came in between. */
const INTERRUPTION_MS = 0.2

/** @typedef {(n: number, depth: number, all: Call[]) => number} Call */

/** Compiles and calls this number of functions, which a profile lists at its start. @param {number} count */
function load (count) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-functions-'))
  /** @type {Call[]} */
  const functions = []
  for (let from = 0; from < count; from += FUNCTIONS_A_FILE) {
    const file = path.join(folder, `${from}.js`)
    const source = Array.from({ length: Math.min(FUNCTIONS_A_FILE, count - from) }, (_, i) =>
      `exports.f${from + i} = function f${from + i} (n, depth, all) {\n  if (depth > 0) return all[(n * 7919 + ${i}) % all.length](n + 1, depth - 1, all)\n` +
      `  let sum = n\n  for (let k = 0; k < 200; k++) sum += k * ${i}\n  return sum % 7\n}\n`)
    fs.writeFileSync(file, source.join(''))
    functions.push(...(Object.values(require(file))))
  }
  fs.rmSync(folder, { recursive: true })
  return functions
}

/**
 * Calls them for a time, and tells of each interruption it meets.
 * @param {Call[]} functions
 * @param {number} ms
 * @param {(ms: number) => boolean} [onCall] told how long a call has taken; true ends it
 */
function work (functions, ms, onCall = () => false) {
  let lastMs = nowMs()
  const endMs = lastMs + ms
  for (let i = 0; lastMs < endMs; i++) {
    functions[i % functions.length](i, DEPTH, functions)
    const atMs = nowMs()
    if (onCall(atMs - lastMs)) return
    lastMs = atMs
  }
}

/** @param {Call[]} functions */
function own (functions) {
  const profiler = new HostProfiler(
    openBridge(createMemory()),
    { thresholdMs: THRESHOLD_MS },
    (/** @type {any} */ { failure }) => {
      if (failure !== null) throw new Error(failure)
    }
  )
  const steps = /** @type {Record<string, number[]>} */ ({ start: [], rotation: [], stop: [] })
  for (let i = 0; i < ROUNDS; i++) {
    for (const [name, action] of /** @type {const} */ ([['start', 'start'], ['rotation', 'take'], ['stop', 'stop']])) {
      const startMs = nowMs()
      profiler.run(action)
      steps[name].push(nowMs() - startMs)
      work(functions, action === 'start' ? WINDOW_MS : 100)
    }
  }
  return steps
}

/** Odd while a rotation goes on. */
const LAST = 2 * ROUNDS

/** The other thread of `plain`. */
const ROTATOR = `
  const { Session } = require('node:inspector')
  const { workerData: { state, rounds, interval } } = require('node:worker_threads')
  const session = new Session()
  const post = (method, params) => new Promise((resolve, reject) => session.post(method, params, (error, result) => error ? reject(error) : resolve(result)))
  setInterval(() => {}, 1000)
  async function main () {
    session.connectToMainThread()
    await post('Profiler.enable')
    await post('Profiler.setSamplingInterval', { interval })
    await post('Profiler.start')
    for (let i = 0; i < rounds; i++) {
      await new Promise((resolve) => setTimeout(resolve, ${WINDOW_MS}))
      Atomics.add(state, 0, 1)
      await post('Profiler.stop')
      await post('Profiler.start')
      Atomics.add(state, 0, 1)
    }
    session.disconnect()
    process.exit()
  }
  main()`

/** @param {Call[]} functions */
function plain (functions) {
  const state = new Int32Array(new SharedArrayBuffer(4))
  new Worker(ROTATOR, { eval: true, workerData: { state, rounds: ROUNDS, interval: INTERVAL_MICROS } }).unref()
  /** @type {Record<string, number[]>} */
  const steps = { rotation: [] }
  let interruptedMs = 0
  let last = 0
  work(functions, DEADLINE_MS / 2, (ms) => {
    const now = Atomics.load(state, 0)
    // The profile may have begun, and ended, within the interruption.
    if (ms > INTERRUPTION_MS && (now !== last || now % 2 === 1)) interruptedMs += ms
    if (now >> 1 !== last >> 1) {
      steps.rotation.push(interruptedMs)
      interruptedMs = 0
    }
    last = now
    return now === LAST
  })
  if (last !== LAST) steps.unanswered = [interruptedMs]
  return steps
}

/**
 * @param {string} way
 * @param {string} count
 * @returns {Promise<Record<string, number[]> | null>} null where it did not end in time
 */
function measure (way, count) {
  const child = spawn(process.execPath, [__filename, way, count], { stdio: ['ignore', 'pipe', 'inherit'] })
  const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS)
  let text = ''
  child.stdout.on('data', (data) => { text += data })
  return new Promise((resolve) => child.on('close', () => {
    clearTimeout(timer)
    resolve(text === '' ? null : JSON.parse(text))
  }))
}

async function main () {
  const counts = process.argv.length > 2 ? process.argv.slice(2) : ['50', '10000']
  console.log(`Node ${process.version}, a sample every ${INTERVAL_MICROS / 1000} ms, ${ROUNDS} rounds; ms of the profiled thread`)
  for (const count of counts) {
    for (const way of ['own', 'plain']) {
      const steps = await measure(way, count)
      const told = steps === null
        ? `not over after ${DEADLINE_MS / 1000} s`
        : Object.entries(steps).map(([name, values]) => {
          if (values.length === 0) return `${name}: none`
          const sorted = values.sort((a, b) => a - b)
          return `${name} ${sorted[sorted.length >> 1].toFixed(1)} (${sorted[0].toFixed(1)} to ${sorted[sorted.length - 1].toFixed(1)})`
        }).join(', ')
      console.log(`${count.padStart(6)} functions, ${way.padEnd(5)}  ${told}`)
    }
  }
}

const [way, count] = process.argv.slice(2)
if (way === 'own' || way === 'plain') process.stdout.write(JSON.stringify((way === 'own' ? own : plain)(load(Number(count)))), () => process.exit())
else main()
