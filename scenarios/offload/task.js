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

  /** @type {Omit<import('./means').Times, 'answeredMs'>[]} */
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
      // Until they have ended is no part of it.
      const resultMs =
        parallel === 1 ? done[0].times.resultMs : Math.max(...done.map(({ times }) => times.answeredMs)) - fromMs
      // While it is there: a thread that has ended gives its memory back.
      growths.push((Math.max(...done.map(({ rssBytes }) => rssBytes)) - rssBefore) / parallel)
      for (const { answer, times, usage } of done) {
        context.check(answer.value === shared.values[workMs], `the work of ${workMs} ms gave ${answer.value}, not ${shared.values[workMs]}`)
        context.check(answer.inputBytes === (input?.length ?? 0), `${answer.inputBytes} bytes arrived of ${input?.length ?? 0}`)
        context.record(times.resultMs)
        if (usage !== undefined) context.addUsage(usage)
      }
      context.count(parallel)
      const sum = (/** @type {'startMs' | 'sendMs'} */ key) => done.reduce((total, { times }) => total + times[key], 0)
      rounds.push({ startMs: sum('startMs'), sendMs: sum('sendMs'), onlineMs: Math.max(...done.map(({ times }) => times.onlineMs)), resultMs })
    } while (performance.now() < untilMs)
  })
  await close()
  const middle = (/** @type {(round: typeof rounds[number]) => number} */ read) => median(rounds.map(read))
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
