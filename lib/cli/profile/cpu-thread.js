'use strict'

const fs = require('node:fs')
const { Worker, isMainThread, workerData } = require('node:worker_threads')
const { entryPoint } = require('../../tables/entry-points')
const { US_PER_MS } = require('../../util/units')

const START_MS = 5000
const WRITE_MS = 20000
const POLL_MS = 100

/** Shared slots, 1 once the profile runs, the main thread is about to end, or all is written. */
const STARTED = 0
const ENDING = 1
const WRITTEN = 2

/** @typedef {{ file: string, stop: string, events: string }} Files the profile, the file that requests it, the log */

/** Profiles this thread from another one, which can stop the profile even if this one is stuck. @param {Files} files */
exports.profileCpu = (files) => {
  const slots = new Int32Array(new SharedArrayBuffer(12))
  new Worker(entryPoint('cpuThread'), { workerData: { ...files, slots }, execArgv: [], env: {} }).unref()
  // The profiler starts at an interrupt. A waiting thread answers it as well as a running one.
  Atomics.wait(slots, STARTED, 0, START_MS)
  process.on('exit', () => {
    Atomics.store(slots, ENDING, 1)
    Atomics.wait(slots, WRITTEN, 0, WRITE_MS)
  })
}

/** @param {Files & { slots: Int32Array }} data */
function run ({ file, stop, events, slots }) {
  const { Session } = require('node:inspector')
  const session = new Session()
  const tell = (/** @type {object} */ event) => fs.appendFileSync(events, `${JSON.stringify(event)}\n`)
  const settle = (/** @type {number} */ slot) => {
    Atomics.store(slots, slot, 1)
    Atomics.notify(slots, slot)
  }
  const fail = (/** @type {Error} */ { message: reason }) => {
    tell({ event: 'failed', reason })
    session.disconnect()
    settle(STARTED)
    settle(WRITTEN)
    clearInterval(timer)
  }
  let isStopping = false
  // Until the answer comes: a session alone does not keep a thread alive.
  const timer = setInterval(() => {
    if (isStopping || (Atomics.load(slots, ENDING) === 0 && !fs.existsSync(stop))) return
    isStopping = true
    session.post('Profiler.stop', (error, result) => {
      if (error) return fail(error)
      fs.writeFileSync(file, JSON.stringify(result.profile))
      // A connected session would make the process wait for a debugger that never comes.
      session.disconnect()
      tell({ event: 'written' })
      settle(WRITTEN)
      clearInterval(timer)
    })
  }, POLL_MS)
  session.connectToMainThread()
  session.post('Profiler.enable')
  session.post('Profiler.setSamplingInterval', { interval: US_PER_MS })
  session.post('Profiler.start', (error) => error ? fail(error) : settle(STARTED))
}

if (!isMainThread && workerData?.slots) run(workerData)
