'use strict'

// How long V8's sampling heap profile pauses an application, by the size of its heap:
//   node scenarios/overhead/checks/heap-profile.js [MB,...] [repeats] [MB/s]   default 50,1000 5 200
// A process holds a heap of small objects and allocates for ten seconds at a rate, a tenth of which it keeps in a list.
// `allocates` counts objects that were collected, `keeps` does not. v8 is v8.startHeapProfile() of Node.js 26,
// inspector is HeapProfiler.startSampling, which collects the whole heap at its end. On a busy machine a pause takes
// longer than the CPU time of its thread. It fails if the median pause by v8 is 50 ms or longer.
const { fork } = require('node:child_process')
const { setTimeout: sleep } = require('node:timers/promises')
const v8 = require('node:v8')
const { median } = require('../../harness/measure/stats')
const { samplingOf } = require('../../../lib/host/sense/profile/heap-profile')

const RUN_MS = 10000
const SLICE_MS = 20
const MOST_MS = 50
const BYTES_PER_MB = 2 ** 20
/** A row, its text and its place in the list. */
const ROW_BYTES = 120
const KEPT_ROWS = 10

/** @type {any[]} */
const heap = []
/** @type {any[]} */
const kept = []

const makeRow = (/** @type {number} */ i) => ({ i, name: `row ${i}`, next: { i } })

/** @param {number} mb */
function fill (mb) {
  while (v8.getHeapStatistics().used_heap_size < mb * BYTES_PER_MB) {
    heap.push(Array.from({ length: 10000 }, (_, i) => makeRow(i)))
  }
}

/** Below calls of many depths, so that the profile is a tree. @param {number} depth @param {number} rows */
function allocate (depth, rows) {
  if (depth > 0) return allocate(depth - 1, rows)
  for (let i = 0; i < rows; i++) {
    const row = makeRow(i)
    if (i % KEPT_ROWS === 0) kept.push(row)
  }
}

/** @param {number} mbPerS @returns {Promise<number>} CPU time, ms */
async function work (mbPerS) {
  kept.length = 0
  const cpu = process.cpuUsage()
  const rows = mbPerS * BYTES_PER_MB * SLICE_MS / 1000 / ROW_BYTES
  const endMs = performance.now() + RUN_MS
  for (let i = 0; performance.now() < endMs; i++) {
    const startMs = performance.now()
    allocate(i % 40, rows)
    await sleep(Math.max(0, SLICE_MS - (performance.now() - startMs)))
  }
  const { user, system } = process.cpuUsage(cpu)
  return (user + system) / 1000
}

/** @type {Record<string, (isCounting: boolean) => () => any>} each starts, and returns its stop */
const apis = {
  v8 (isCounting) {
    const handle = /** @type {any} */ (v8).startHeapProfile(samplingOf(isCounting))
    return () => handle.stop()
  },
  inspector (isCounting) {
    const { Session } = require('node:inspector')
    const session = new Session()
    session.connect()
    const { sampleInterval: samplingInterval, ...others } = samplingOf(isCounting)
    session.post('HeapProfiler.startSampling', { samplingInterval, ...others })
    return () => {
      /** @type {any} */
      let profile
      session.post('HeapProfiler.stopSampling', (_, answer) => { profile = answer?.profile })
      session.disconnect()
      return JSON.stringify(profile)
    }
  }
}

const threadCpuMs = () => {
  const { user, system } = /** @type {any} */ (process).threadCpuUsage()
  return (user + system) / 1000
}

/** @param {() => any} step */
function timed (step) {
  const startMs = performance.now()
  const startCpuMs = threadCpuMs()
  const value = step()
  return { value, ms: performance.now() - startMs, cpuMs: threadCpuMs() - startCpuMs }
}

/** @param {number} mb @param {number} repeats @param {number} mbPerS */
async function measure (mb, repeats, mbPerS) {
  fill(mb)
  const bareCpuMs = await work(mbPerS)
  for (const [api, start] of Object.entries(apis)) {
    if (api === 'v8' && !('startHeapProfile' in v8)) continue
    for (const kind of ['allocates', 'keeps']) {
      const runs = []
      for (let i = 0; i < repeats; i++) {
        const started = timed(() => start(kind === 'allocates'))
        const cpuMs = await work(mbPerS)
        const stopped = timed(started.value)
        const { samples } = JSON.parse(stopped.value)
        runs.push({
          startMs: started.ms,
          stopMs: stopped.ms,
          stopCpuMs: stopped.cpuMs,
          cpuMs,
          samples: samples.length,
          chars: stopped.value.length
        })
      }
      process.send?.({ mb, api, kind, bareCpuMs, runs })
    }
  }
}

/** @param {string[]} sizes @param {string} repeats @param {string} mbPerS */
async function main (sizes, repeats, mbPerS) {
  console.log(`Node.js ${process.version}, ${repeats} profiles of ${RUN_MS / 1000} s each at ${mbPerS} MB/s`)
  console.log('heap, MB  api        kind       start: median, longest ms  stop: median, longest ms  CPU ms  samples   kB  CPU ratio')
  for (const mb of sizes) {
    const execArgv = ['--max-old-space-size=6000']
    const child = fork(__filename, ['measure', mb, repeats, mbPerS], { execArgv })
    child.on('message', (/** @type {any} */ { api, kind, bareCpuMs, runs }) => {
      const of = (/** @type {string} */ field) => runs.map((/** @type {any} */ run) => run[field])
      const [startMs, stopMs, stopCpuMs] = ['startMs', 'stopMs', 'stopCpuMs'].map((field) => median(of(field)))
      console.log([
        mb.padStart(8),
        api.padEnd(9),
        kind.padEnd(9),
        startMs.toFixed(1).padStart(14),
        Math.max(...of('startMs')).toFixed(1).padStart(10),
        stopMs.toFixed(1).padStart(14),
        Math.max(...of('stopMs')).toFixed(1).padStart(9),
        stopCpuMs.toFixed(1).padStart(6),
        `${median(of('samples'))}`.padStart(7),
        `${Math.round(median(of('chars')) / 1000)}`.padStart(4),
        (median(of('cpuMs')) / bareCpuMs).toFixed(2).padStart(8)
      ].join('  '))
      if (api === 'v8' && Math.max(startMs, stopMs) >= MOST_MS) process.exitCode = 1
    })
    await new Promise((resolve) => child.once('exit', resolve))
  }
}

const [role = '50,1000', more = '5', rate = '200', last = '200'] = process.argv.slice(2)
if (role === 'measure') measure(Number(more), Number(rate), Number(last))
else main(role.split(','), more, rate)
