'use strict'

// The cell: a pool of its variant, warmed up, then runs of so many calls at once.
const os = require('node:os')
const { implementations } = require('./implementations')
const { PREFIX } = require('./threads/hook')
const { consumedMs, hasCeiling, isBelowCeiling, isPossible, leastMs } = require('./oracle')
const { median } = require('../harness/measure/stats')
const { threadId, threadUsage, threadWaitSeconds } = require('../harness/measure/usage')

const MS_PER_S = 1000
const WARM_UP_RUNS = 3
const WARM_UP_CALLS = 1000
/** One of these runs must be as short as calling allows, if that is known: other programs may use the machine. */
const MOST_RUNS = 6
/** Answers that wait for their check, if the mode determines the length of a run. */
const MOST_HELD_BYTES = 256 * 1024 * 1024
/** Size of an answer without its characters. */
const ANSWER_BYTES = 100
/** Work was calibrated on a machine that others may have used: it may take less. */
const CPU_SLACK = 0.6

/** @typedef {import('../harness/run/context').Context} Context */
/** @typedef {import('./oracle').Params} Params */
/** @typedef {import('./addon').Outcome} Outcome */
/** @typedef {Awaited<ReturnType<implementations[string]>>} Pool */
/** @typedef {{ tookMs: number, waitedMs: number }} Run */

/** @param {string} prefix @param {number} index @param {number} length */
const expected = (prefix, index, length) => prefix + String(index).padStart(length, 'x')

/** @param {Context} context */
exports.run = async (context) => {
  const { shared, data } = context
  const { consumeMs, workers, uneven } = paramsOf(context)
  const stepsPerMs = data.isWallTime ? null : shared.stepsPerMs
  await context.ready

  const main = threadId()
  const [cpuBefore, fromMs] = [threadUsage(main).cpuSeconds, performance.now()]
  const pool = await implementations[data.implementation]({
    file: shared.file,
    workers,
    hook: { consumeMs, stepsPerMs, asyncMs: data.asyncMs, uneven },
    lane: data.lane,
    order: data.order
  })
  const initMs = performance.now() - fromMs
  const initCpuSeconds = threadUsage(main).cpuSeconds
  pool.tids.forEach((tid) => { if (tid !== null) context.trackThread('worker thread', tid) })

  // Code of both sides is compiled then; the ids are short, as long ones would only fill the heap.
  for (let i = 0; i < WARM_UP_RUNS; i++) await pool.run(consumeMs === 0 ? WARM_UP_CALLS / 10 : Math.max(1, workers), 30)
  const { runs, mainCpuMs } = await measureRuns(context, pool)
  // The measurement stays as it is. More runs only show whether the machine or the calls took the time.
  const durations = runs.map(({ tookMs }) => tookMs)
  await checkCeiling(context, pool, runs)
  await pool.stop()
  const least = leastMs(paramsOf(context), data.isWallTime ? Infinity : os.availableParallelism())
  return {
    value: median(durations),
    extra: {
      initMs,
      workerWaitMs: pool.waitMs,
      ...(cpuBefore === null || initCpuSeconds === null ? {} : { initCpuMs: (initCpuSeconds - cpuBefore) * MS_PER_S }),
      ...(least === 0 || data.asyncMs !== 0 ? {} : { overLeast: median(durations) / least }),
      ...(mainCpuMs.length === 0 ? {} : { mainCpuMs: median(mainCpuMs) }),
      runs: durations.length
    }
  }
}

/** @param {Context} context @returns {Params} */
const paramsOf = (context) => /** @type {Params} */ (/** @type {unknown} */ (context.params))

/**
 * Runs for as long as the mode says.
 * @param {Context} context
 * @param {Pool} pool
 */
async function measureRuns (context, pool) {
  const { count, idLength } = paramsOf(context)
  /** @type {Run[]} */
  const runs = []
  /** CPU time of the main thread in each run, ms. @type {number[]} */
  const mainCpuMs = []
  /**
   * Checked afterwards: checking twenty answers of a megabyte takes the main thread 50 ms, which must not count as a
   * block of the calls.
   * @type {Outcome[]}
   */
  const unchecked = []
  await context.measure(async () => {
    const untilMs = performance.now() + context.seconds * MS_PER_S
    do {
      const { run, outcome, cpuMs } = await runWithUsage(context, pool)
      runs.push(run)
      if (cpuMs !== null) mainCpuMs.push(cpuMs)
      context.record(run.tookMs)
      context.count(count)
      checkFailures(context, outcome)
      unchecked.push(outcome)
      if (unchecked.length * count * (idLength + ANSWER_BYTES) > MOST_HELD_BYTES) {
        unchecked.splice(0).forEach((each) => checkAnswers(context, each))
      }
    } while (performance.now() < untilMs && !context.data.isOnce)
  })
  unchecked.forEach((each) => checkAnswers(context, each))
  return { runs, mainCpuMs }
}

/** @param {Context} context @param {Pool} pool @returns {Promise<{ run: Run, outcome: Outcome }>} */
async function runOnce (context, pool) {
  const { count, idLength } = paramsOf(context)
  /** In s; 0 where the system does not tell. */
  const waits = () => pool.tids.map((tid) => threadWaitSeconds(tid) ?? 0)
  const waitsBefore = waits()
  const startMs = performance.now()
  const outcome = await pool.run(count, idLength)
  const tookMs = performance.now() - startMs
  // The wait of the thread that waited longest for a core.
  const waitedMs = Math.max(0, ...waits().map((seconds, i) => (seconds - waitsBefore[i]) * MS_PER_S))
  return { run: { tookMs, waitedMs }, outcome }
}

/** A run whose CPU time is checked as well. @param {Context} context @param {Pool} pool */
async function runWithUsage (context, pool) {
  const { consumeMs, workers } = paramsOf(context)
  const main = threadId()
  /** NaN where the system does not tell. */
  const threadsCpu = () =>
    [main, ...pool.tids].reduce((/** @type {number} */ sum, tid) => sum + (threadUsage(tid).cpuSeconds ?? NaN), 0)
  const usedBefore = threadsCpu()
  const mainBefore = threadUsage(main).cpuSeconds
  const { run, outcome } = await runOnce(context, pool)
  const usedSeconds = threadsCpu()
  const mainAfter = threadUsage(main).cpuSeconds
  if (consumeMs >= 1 && context.data.asyncMs === 0) {
    const usedMs = pool.tids.length < workers ? NaN : (usedSeconds - usedBefore) * MS_PER_S
    checkTime(context, { tookMs: run.tookMs, usedMs })
  }
  return { run, outcome, cpuMs: mainBefore === null || mainAfter === null ? null : (mainAfter - mainBefore) * MS_PER_S }
}

/** @param {Context} context @param {Outcome} outcome */
function checkFailures (context, outcome) {
  const [failure] = outcome.failures()
  context.check(failure === undefined, `call ${failure?.index} ended with ${failure?.code}: ${failure?.message}`)
}

/** @param {Context} context @param {Outcome} outcome */
function checkAnswers (context, outcome) {
  const { count, idLength } = paramsOf(context)
  checkFailures(context, outcome)
  const answers = outcome.answers()
  context.check(answers.length === count, `${answers.length} answers to ${count} calls`)
  answers.forEach((answer, i) => context.check(answer === expected(PREFIX, i, idLength), `the answer to call ${i} is not its id with the prefix`))
}

/**
 * One run must be as short as calling allows, if that is known.
 * @param {Context} context
 * @param {Pool} pool
 * @param {Run[]} measured
 */
async function checkCeiling (context, pool, measured) {
  const params = paramsOf(context)
  if (!context.data.isWallTime || !hasCeiling(context.variant, params, os.availableParallelism())) return
  const runs = [...measured]
  while (!isBelowCeiling(runs, params) && runs.length < MOST_RUNS) {
    const { run, outcome } = await runOnce(context, pool)
    runs.push(run)
    checkAnswers(context, outcome)
  }
  const fastest = Math.min(...runs.map(({ tookMs }) => tookMs))
  context.check(isBelowCeiling(runs, params), `${fastest} ms, the fastest of ${runs.length}, are more than 2% over the ${leastMs(params)} ms that the hooks take`)
}

/**
 * No run may be faster than its hooks.
 * @param {Context} context
 * @param {{ tookMs: number, usedMs: number }} times
 */
function checkTime (context, { tookMs, usedMs }) {
  const params = paramsOf(context)
  if (context.data.isWallTime) {
    context.check(isPossible(tookMs, params), `${tookMs} ms are less than the ${leastMs(params)} ms that one worker's share takes`)
    return
  }
  const cores = Math.min(os.availableParallelism(), Math.max(1, params.workers))
  const hooksMs = consumedMs(params)
  context.check(tookMs * cores >= hooksMs * CPU_SLACK, `${tookMs} ms on ${cores} cores are less than the ${hooksMs} ms of CPU of ${params.count} hooks`)
  context.check(Number.isNaN(usedMs) || usedMs >= hooksMs * CPU_SLACK, `${usedMs} ms of CPU are less than the ${hooksMs} ms of ${params.count} hooks`)
}
