'use strict'

// The cell: tasks of a fixed size, done on the caller or elsewhere, one round after the other.
const os = require('node:os')
const { setTimeout: sleep } = require('node:timers/promises')
const { median } = require('../harness/measure/stats')
const { means } = require('./means')

const MS_PER_S = 1000
const BYTES_PER_KIB = 1024
/** Between rounds the loop is idle, as it would be between requests. */
const PAUSE_MS = 5

/** @typedef {Omit<import('./means').Times, 'answeredMs'>} Round */
/** @typedef {Awaited<ReturnType<import('./means').Means>>} Done */

/** @param {import('../harness/run/context').Context} context */
exports.run = async (context) => {
  const { shared } = context
  const { workMs, inputKiB, parallel } = /** @type {{ workMs: number, inputKiB: number, parallel: number }} */ (
    context.params
  )
  const input = inputKiB === 0 ? null : new Uint8Array(inputKiB * BYTES_PER_KIB)
  const task = { steps: workMs * shared.stepsPerMs, input }
  const { run, close } = means[context.variant](Math.min(parallel, os.availableParallelism()))
  await context.ready
  // Code of both sides is loaded and compiled then, as in a program that has run for a while.
  await run({ steps: shared.stepsPerMs, input: null })

  /** @type {Round[]} */
  const rounds = []
  /** @type {number[]} */
  const growths = []
  await context.measure(async () => {
    const untilMs = performance.now() + context.seconds * MS_PER_S
    do {
      await sleep(PAUSE_MS)
      const rssBefore = process.memoryUsage.rss()
      const fromMs = performance.now()
      const done = await Promise.all(Array.from({ length: parallel }, () => run(task)))
      rounds.push(timesOf(done, fromMs))
      // While it is there: a thread that has ended gives its memory back.
      growths.push((Math.max(...done.map(({ rssBytes }) => rssBytes)) - rssBefore) / parallel)
      const expected = { value: shared.values[workMs], inputBytes: input?.length ?? 0 }
      for (const each of done) checkDone(context, each, expected)
      context.count(parallel)
    } while (performance.now() < untilMs)
  })
  await close()
  return resultOf(rounds, growths)
}

/**
 * The times of a round, without the time that the means take to end.
 * @param {Done[]} done
 * @param {number} fromMs
 * @returns {Round}
 */
function timesOf (done, fromMs) {
  const sum = (/** @type {'startMs' | 'sendMs'} */ key) => done.reduce((total, { times }) => total + times[key], 0)
  const most = (/** @type {'onlineMs' | 'answeredMs'} */ key) => Math.max(...done.map(({ times }) => times[key]))
  return {
    startMs: sum('startMs'),
    sendMs: sum('sendMs'),
    onlineMs: most('onlineMs'),
    resultMs: done.length === 1 ? done[0].times.resultMs : most('answeredMs') - fromMs
  }
}

/**
 * @param {import('../harness/run/context').Context} context
 * @param {Done} done
 * @param {{ value: unknown, inputBytes: number }} expected
 */
function checkDone (context, { answer, times, usage }, { value, inputBytes }) {
  context.check(answer.value === value, `the work of ${context.params.workMs} ms gave ${answer.value}, not ${value}`)
  context.check(answer.inputBytes === inputBytes, `${answer.inputBytes} bytes arrived of ${inputBytes}`)
  context.record(times.resultMs)
  if (usage !== undefined) context.addUsage(usage)
}

/** @param {Round[]} rounds @param {number[]} growths in bytes, a task */
function resultOf (rounds, growths) {
  const middle = (/** @type {(round: Round) => number} */ read) => median(rounds.map(read))
  return {
    value: middle(({ resultMs }) => resultMs),
    extra: {
      heldMs: middle(({ startMs, sendMs }) => startMs + sendMs),
      startMs: middle(({ startMs }) => startMs),
      sendMs: middle(({ sendMs }) => sendMs),
      onlineMs: middle(({ onlineMs }) => onlineMs),
      rounds: rounds.length,
      rssGrowthMiB: Math.max(0, median(growths)) / BYTES_PER_KIB / BYTES_PER_KIB
    }
  }
}
