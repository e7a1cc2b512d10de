'use strict'

// Profiles of worker threads as the agent takes them, of threads that compute, call, wait and end in the middle of it:
//   node scenarios/overhead/checks/thread-profiles.js [threads, 1000 by default] [at a time, 4 by default]
// The time that the two calls take on the main thread, how long a start holds the thread, and whether anything aborts.
const { Worker } = require('node:worker_threads')
const { profileThread } = require('../../../lib/host/runtime')

const THREADS = Number(process.argv[2] ?? 1000)
const AT_A_TIME = Number(process.argv[3] ?? 4)
/** Length of a profile. The agent takes half a second. */
const SAMPLED_MS = 50
/** Mostly the thread ends later than its profile, sometimes before it, or while it starts or stops. */
const LIVES_MS = 250

const COMPUTE = `function spin (ms) { const end = Date.now() + ms; let x = 0; while (Date.now() < end) x += Math.sqrt(x + 1); return x }
const { parentPort } = require('node:worker_threads'); const { pbkdf2Sync } = require('node:crypto'); parentPort.postMessage('begun')\n`
/** @type {((ms: number) => string)[]} */
const KINDS = [
  (ms) => `spin(${ms})`,
  (ms) => `setInterval(() => spin(20), 30); setTimeout(() => process.exit(), ${ms})`,
  (ms) => `const end = Date.now() + ${ms}; while (Date.now() < end) pbkdf2Sync('a', 'b', 20000, 32, 'sha512')`,
  (ms) => `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms})`,
  (ms) => `setTimeout(() => { throw new Error('on purpose') }, ${ms}); spin(${ms} / 2)`,
  () => 'setInterval(() => spin(20), 30)'
]

const times = /** @type {Record<'start' | 'stop' | 'held', number[]>} */ ({ start: [], stop: [], held: [] })
const ends = { read: 0, unread: 0, threads: 0 }

/** @template T @param {number[]} to @param {() => T} call */
function timed (to, call) {
  const startMs = performance.now()
  const result = call()
  to.push(performance.now() - startMs)
  return result
}

const sleep = (/** @type {number} */ ms) => new Promise((resolve) => { setTimeout(resolve, ms) })

/** @param {Worker} worker */
async function profile (worker) {
  try {
    const taken = await timed(times.start, () => profileThread(worker))
    await sleep(SAMPLED_MS)
    const text = await timed(times.stop, () => taken.stop())
    times.held.push(JSON.parse(text).timeDeltas[0] / 1000)
    ends.read++
  } catch {
    ends.unread++
  }
}

/** @param {number} i */
async function one (i) {
  const ms = Math.random() * LIVES_MS
  const worker = new Worker(COMPUTE + KINDS[i % KINDS.length](ms), { eval: true })
  const ended = new Promise((resolve) => { worker.on('exit', resolve).on('error', () => {}) })
  await Promise.race([ended, new Promise((resolve) => { worker.once('message', resolve) })])
  const isRead = profile(worker)
  // A thread that has ended may never answer.
  await Promise.race([isRead, ended])
  if (i % KINDS.length === KINDS.length - 1) await worker.terminate()
  await ended
  ends.threads++
}

/** @param {number[]} values */
function shares (values) {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (/** @type {number} */ share) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
}

async function main () {
  let next = 0
  const chain = async () => { while (next < THREADS) await one(next++) }
  await Promise.all(Array.from({ length: AT_A_TIME }, chain))
  process.stdout.write(`Node.js ${process.version}: ${ends.threads} threads ended, ${ends.read} profiles read, ${ends.unread} not\n` +
    `  main thread: start ${shares(times.start)}; stop ${shares(times.stop)}\n  thread held by a start: ${shares(times.held)}\n`)
}

main()
