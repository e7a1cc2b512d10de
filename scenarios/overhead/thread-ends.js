'use strict'

// Shows what lib/bridge/thread-gate.js is for: worker threads come and go while the main thread's
// inspector is connected to all of them again and again, as a debugger or profiler would.
//   node scenarios/overhead/thread-ends.js            with the gate: ends with a count
//   node scenarios/overhead/thread-ends.js bare       without: the process aborts, mostly within seconds
const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { openGate } = require('../../lib/bridge/thread-gate')
const { createRelay } = require('../../lib/host/relay')
const { WorkerList } = require('../../lib/host/worker-list')

const LIB = JSON.stringify(path.join(__dirname, '..', '..', 'lib'))
const SECONDS = Number(process.env.SECONDS ?? 20)
/** Every two milliseconds, where the agent asks at most 20 times a second, and that briefly. */
const ASKER = `const { Session } = require('node:inspector')
  setInterval(() => {
    const session = new Session()
    session.connectToMainThread()
    session.post('Runtime.evaluate', { expression: 'ask()' })
    session.disconnect()
  }, 2)`
const SAYS_ITS_END = `const { findGate } = require(${LIB} + '/bridge/thread-gate')
  const { nowMs } = require(${LIB} + '/clock')
  process.once('exit', () => findGate().end(nowMs()));`
const ENDS = [
  (/** @type {number} */ ms) => `setTimeout(() => {}, ${ms})`,
  (/** @type {number} */ ms) => `setTimeout(() => process.exit(), ${ms})`,
  (/** @type {number} */ ms) => `setTimeout(() => { throw new Error('on purpose') }, ${ms})`
]

const isBare = process.argv[2] === 'bare'
let asked = 0
let ended = 0

// A quiet time of 1 ms, a thousandth of the agent's. So nothing here calls terminate(): a thread that is told to end has the
// agent's whole second for it, and terminated while it still loads Node.js itself it aborts the process, whoever watches.
const gate = openGate(1)
const workers = new WorkerList(() => {}, gate)
const counters = /** @type {any} */ ({ get: () => asked, add: (/** @type {string} */ name) => { if (name === 'relays') asked++ } })
const open = { enter: () => true, leave: () => {} }
const relay = isBare ? createRelay({ counters }, open, { hasStopping: () => false }) : createRelay({ counters }, gate, workers)
const call = { threadIds: Array.from({ length: 1e5 }, (_, i) => i), expression: '(() => {})', most: 4, lists: false, waitMs: 1 }
Object.assign(globalThis, { ask: () => relay(require('node:inspector'), call) })

const endMs = Date.now() + SECONDS * 1000

/** @param {number} i @returns {Promise<void>} */
async function chain (i) {
  while (Date.now() < endMs) {
    const ms = 5 + Math.random() * 40
    const worker = new Worker((isBare ? '' : SAYS_ITS_END) + ENDS[i++ % ENDS.length](ms), { eval: true })
    await new Promise((resolve) => worker.on('error', () => {}).on('exit', resolve))
    ended++
  }
}

const asker = new Worker(ASKER, { eval: true })
Promise.all([0, 1, 2, 3].map(chain)).then(() => {
  process.stdout.write(`${ended} threads ended while ${asked} questions were asked of the rest: nothing aborted (Node.js ${process.version})\n`)
  return asker.terminate()
})
