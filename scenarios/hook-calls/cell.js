'use strict'

// The cell: a pool of its variant, warmed up, then runs of so many calls at once.
const os = require('node:os')
const { implementations } = require('./implementations')
const { PREFIX } = require('./hook')
const { median } = require('../harness/stats')
const { threadId, threadUsage } = require('../harness/usage')

const MS_PER_S = 1000
const WARM_UP_RUNS = 3
const WARM_UP_CALLS = 1000
/** Of wall time; a hook that takes longer than it must has not been called twice at once. */
const CLOCK_MS = 0.1
/** Work was calibrated on a machine that others may have used: it may take less. */
const CPU_SLACK = 0.6

/** @typedef {{ consumeMs: number, count: number, idLength: number, workers: number }} Params */

/** @param {string} prefix @param {number} index @param {number} length */
const expected = (prefix, index, length) => prefix + String(index).padStart(length, 'x')

/** @param {import('../harness/context').Context} context */
exports.run = async (context) => {
  const { shared, data } = context
  const { consumeMs, count, idLength, workers } = /** @type {Params} */ (/** @type {unknown} */ (context.params))
  const stepsPerMs = data.isWallTime ? null : shared.stepsPerMs
  await context.ready

  const main = threadId()
  const [cpuBefore, fromMs] = [threadUsage(main).cpuSeconds, performance.now()]
  const pool = await implementations[data.implementation]({ file: shared.file, workers, hook: { consumeMs, stepsPerMs, asyncMs: data.asyncMs }, lane: data.lane })
  const initMs = performance.now() - fromMs
  const initCpuSeconds = threadUsage(main).cpuSeconds
  pool.tids.forEach((tid) => { if (tid !== null) context.trackThread('worker thread', tid) })

  /** NaN where the system does not tell. */
  const threadsCpu = () => [main, ...pool.tids].reduce((/** @type {number} */ sum, tid) => sum + (threadUsage(tid).cpuSeconds ?? NaN), 0)

  // Code of both sides is compiled then; the ids are short, as long ones would only fill the heap.
  for (let i = 0; i < WARM_UP_RUNS; i++) await pool.run(consumeMs === 0 ? WARM_UP_CALLS / 10 : Math.max(1, workers), 30)

  /** @type {number[]} */
  const durations = []
  /** What the main thread spent on each run. @type {number[]} */
  const mainCpuMs = []
  await context.measure(async () => {
    const untilMs = performance.now() + context.seconds * MS_PER_S
    do {
      const usedBefore = threadsCpu()
      const mainBefore = threadUsage(main).cpuSeconds
      const startMs = performance.now()
      const outcome = await pool.run(count, idLength)
      const tookMs = performance.now() - startMs
      const usedSeconds = threadsCpu()
      const mainAfter = threadUsage(main).cpuSeconds
      if (mainBefore !== null && mainAfter !== null) mainCpuMs.push((mainAfter - mainBefore) * MS_PER_S)
      durations.push(tookMs)
      context.record(tookMs)
      context.count(count)
      const [failure] = outcome.failures()
      context.check(failure === undefined, `call ${failure?.index} ended with ${failure?.code}: ${failure?.message}`)
      const answers = outcome.answers()
      context.check(answers.length === count, `${answers.length} answers to ${count} calls`)
      answers.forEach((answer, i) => context.check(answer === expected(PREFIX, i, idLength), `the answer to call ${i} is not its id with the prefix`))
      if (consumeMs >= 1 && data.asyncMs === 0) checkTime(context, { tookMs, usedMs: pool.tids.length < workers ? NaN : (usedSeconds - usedBefore) * MS_PER_S })
    } while (performance.now() < untilMs && !data.isOnce)
  })
  await pool.stop()
  return {
    value: median(durations),
    extra: {
      initMs,
      workerWaitMs: pool.waitMs,
      ...(cpuBefore === null || initCpuSeconds === null ? {} : { initCpuMs: (initCpuSeconds - cpuBefore) * MS_PER_S }),
      ...(mainCpuMs.length === 0 ? {} : { mainCpuMs: median(mainCpuMs) }),
      runs: durations.length
    }
  }
}

/** No run may be faster than its hooks. @param {import('../harness/context').Context} context @param {{ tookMs: number, usedMs: number }} times */
function checkTime (context, { tookMs, usedMs }) {
  const { consumeMs, count, workers } = /** @type {Params} */ (/** @type {unknown} */ (context.params))
  if (context.data.isWallTime) {
    const leastMs = Math.ceil(count / Math.max(1, workers)) * consumeMs
    context.check(tookMs >= leastMs - CLOCK_MS, `${tookMs} ms are less than the ${leastMs} ms that one worker's share takes`)
    return
  }
  const cores = Math.min(os.availableParallelism(), Math.max(1, workers))
  context.check(tookMs * cores >= count * consumeMs * CPU_SLACK, `${tookMs} ms on ${cores} cores are less than ${count} hooks of ${consumeMs} ms of CPU`)
  context.check(Number.isNaN(usedMs) || usedMs >= count * consumeMs * CPU_SLACK, `${usedMs} ms of CPU are less than ${count} hooks of ${consumeMs} ms`)
}
