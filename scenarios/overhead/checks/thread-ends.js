'use strict'

// Worker threads come and go by the dozen, and nothing may abort:
//   node scenarios/overhead/checks/thread-ends.js auto
//     under an agent as it is by default, which uses no inspector of theirs
//   node scenarios/overhead/checks/thread-ends.js on
//     while the main thread's inspector is connected to all of them again and again, with the exit lock of
//     threads: 'on' (lib/bridge/worker-exit-lock.js)
//   node scenarios/overhead/checks/thread-ends.js bare
//     the same without the lock: the process aborts, mostly within seconds
//   node scenarios/overhead/checks/thread-ends.js auto 200
//     so many processes, AT_A_TIME=25: how many were ended by a signal. On two cores 25 of `on` at a time starve each
//     other; four do not
const { spawn } = require('node:child_process')
const { Worker } = require('node:worker_threads')
const { openExitLock } = require('../../../lib/bridge/worker-exit-lock')
const { createInspectorProxy } = require('../../../lib/host/workers/inspector-proxy')
const { WorkerTracker } = require('../../../lib/host/workers/tracker')

const SECONDS = Number(process.env.SECONDS ?? 20)
/** Every two milliseconds, where the agent asks at most 20 times a second, and that briefly. */
const ASKER = `const { Session } = require('node:inspector')
  setInterval(() => {
    const session = new Session()
    session.connectToMainThread()
    session.post('Runtime.evaluate', { expression: 'ask()' })
    session.disconnect()
  }, 2)`
/** @param {string} name of a module of lib */
const inLib = (name) => JSON.stringify(require.resolve(`../../../lib/${name}`))
const SAYS_ITS_END = `const { findExitLock } = require(${inLib('bridge/worker-exit-lock')})
  const { nowMs } = require(${inLib('util/clock')})
  process.once('exit', () => findExitLock().end(nowMs()));`
const ON_PURPOSE = 'on purpose'
const ENDS = [
  (/** @type {number} */ ms) => `setTimeout(() => {}, ${ms})`,
  (/** @type {number} */ ms) => `setTimeout(() => process.exit(), ${ms})`,
  (/** @type {number} */ ms) => `setTimeout(() => { throw new Error('${ON_PURPOSE}') }, ${ms})`
]

const way = process.argv[2] ?? 'on'
const runs = Number(process.argv[3] ?? 0)
const AT_A_TIME = Number(process.env.AT_A_TIME ?? 25)
let asked = 0
let ended = 0

// A quiet time of 1 ms, a thousandth of the agent's. So nothing here calls terminate(): a thread that is told to end
// has the agent's whole second for it, and terminated while it still loads Node.js itself it aborts the process,
// whoever watches.
function startAsking () {
  const exitLock = openExitLock(1)
  const workers = new WorkerTracker(() => {}, exitLock)
  const counters = /** @type {any} */ ({ get: () => asked, add: (/** @type {string} */ name) => { if (name === 'workerCalls') asked++ } })
  const open = { enter: () => true, leave: () => {} }
  const callWorkers = way === 'bare' ? createInspectorProxy({ counters }, open, { hasStopping: () => false }) : createInspectorProxy({ counters }, exitLock, workers)
  const call = { threadIds: Array.from({ length: 1e5 }, (_, i) => i), expression: '(() => {})', most: 4, lists: false, waitMs: 1 }
  Object.assign(globalThis, { ask: () => callWorkers(require('node:inspector'), call) })
  return new Worker(ASKER, { eval: true })
}

const endMs = Date.now() + SECONDS * 1000

/** @param {number} i @returns {Promise<void>} */
async function chain (i) {
  while (Date.now() < endMs) {
    const ms = 5 + Math.random() * 40
    const worker = new Worker((way === 'on' ? SAYS_ITS_END : '') + ENDS[i++ % ENDS.length](ms), { eval: true })
    await new Promise((resolve, reject) => {
      worker.on('exit', resolve)
      // Any other error ends a thread before it has said so: what is tried here would not take place.
      worker.on('error', (error) => { if (error.message !== ON_PURPOSE) reject(error) })
    })
    ended++
  }
}

async function runOnce () {
  const asker = way === 'auto' ? null : startAsking()
  const agent = way === 'auto' ? require('../../../lib').start({ port: 0, log: false }) : null
  await Promise.all([0, 1, 2, 3].map(chain))
  process.stdout.write(`${ended} threads ended while ${asked} questions were asked of the rest: nothing aborted (Node.js ${process.version})\n`)
  await asker?.terminate()
  await agent?.stop()
}

/** @param {Record<string, number>} outcomes */
async function runMany (outcomes) {
  for (let left = runs; left > 0; left -= AT_A_TIME) {
    await Promise.all(Array.from({ length: Math.min(left, AT_A_TIME) }, () => new Promise((resolve) => {
      spawn(process.execPath, [__filename, way], { stdio: 'ignore' }).on('close', (code, signal) => {
        const outcome = signal ?? `code ${code}`
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
        resolve(undefined)
      })
    })))
  }
  const bySignal = Object.keys(outcomes).filter((outcome) => outcome.startsWith('SIG')).reduce((sum, signal) => sum + outcomes[signal], 0)
  process.stdout.write(`${way}: ${bySignal} of ${runs} processes ended by a signal (Node.js ${process.version}; ${JSON.stringify(outcomes)})\n`)
}

if (runs > 0) runMany({})
else runOnce()
