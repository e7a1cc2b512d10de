'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { PollScheduler } = require('../../../../lib/watchdog/loop/poll-scheduler')
const { eventually } = require('../../../support/app')

const STEP_MS = 10
/** Whole polls come four times a second and where a wake-up is late; a busy machine makes it late more often. */
const FEW = 0.5

/**
 * Polls of ten milliseconds over a second.
 * @param {import('node:test').TestContext} t
 * @param {{ quickCheck?: (nowMs: number) => number | null, dueMs?: number }} [story] `dueMs` after which a whole poll
 * wants another
 */
async function run (t, { quickCheck = (nowMs) => nowMs + STEP_MS, dueMs = Infinity } = {}) {
  const seen = { quickChecks: 0, polls: /** @type {number[]} */ ([]), late: 0 }
  const scheduler = new PollScheduler(() => ({ cpuMs: null, runQueueMs: null }), () => 0)
  t.after(() => scheduler.stop())
  scheduler.start({
    quickCheck: (nowMs) => {
      seen.quickChecks++
      return quickCheck(nowMs)
    },
    poll: (nowMs, selfLate) => {
      seen.polls.push(nowMs)
      if (selfLate) seen.late++
      return { wakeAtMs: nowMs + STEP_MS, dueAtMs: nowMs + dueMs }
    }
  })
  const from = performance.now()
  await eventually(() => performance.now() - from > 1000, 'a second to pass')
  scheduler.stop()
  return { ...seen, scheduler }
}

test('the first poll is a whole one, then most are quick checks and each quarter of a second has a whole one', async (t) => {
  const { quickChecks, polls, late } = await run(t)
  const onTime = polls.length - late
  assert.ok(onTime >= 1 && onTime <= 5, `${onTime} polls on time`)
  assert.ok(polls.length < quickChecks * FEW || late > onTime, `${polls.length} polls and ${quickChecks} quick checks, ${late} late`)
})

test('where a quick check shows something, or a poll is due, it is a whole poll', async (t) => {
  const shown = await run(t, { quickCheck: () => null })
  assert.ok(shown.polls.length - shown.late >= shown.quickChecks, `${shown.polls.length} polls, ${shown.late} late, after ${shown.quickChecks} quick checks`)
  const due = await run(t, { dueMs: STEP_MS / 2 })
  assert.ok(due.polls.length > 20 && due.quickChecks < due.polls.length * FEW, `${due.polls.length} polls and ${due.quickChecks} quick checks`)
})

test('what has come up is polled on the next waking, and nothing after the end', async (t) => {
  const { scheduler, polls } = await run(t)
  const before = polls.length
  scheduler.hurry()
  scheduler.wake()
  assert.equal(polls.length, before + 1)
  scheduler.stop()
  await new Promise((resolve) => setTimeout(resolve, 5 * STEP_MS))
  assert.equal(polls.length, before + 1)
})
