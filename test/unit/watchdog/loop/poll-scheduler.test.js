'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { PollScheduler } = require('../../../../lib/watchdog/loop/poll-scheduler')
const { eventually } = require('../../../support/app')

const STEP_MS = 10
/** Whole looks come four times a second and where a wake-up is late; a busy machine makes it late more often. */
const FEW = 0.5

/**
 * A pace of ten milliseconds over a second.
 * @param {import('node:test').TestContext} t
 * @param {{ glance?: (nowMs: number) => number | null, dueMs?: number }} [story] `dueMs` after which a whole look wants another
 */
async function run (t, { glance = (nowMs) => nowMs + STEP_MS, dueMs = Infinity } = {}) {
  const seen = { glances: 0, looks: /** @type {number[]} */ ([]), late: 0 }
  const pace = new PollScheduler({
    ownCpuMs: () => null,
    glance: (nowMs) => {
      seen.glances++
      return glance(nowMs)
    },
    look: (nowMs, selfLate) => {
      seen.looks.push(nowMs)
      if (selfLate) seen.late++
      return { wakeAtMs: nowMs + STEP_MS, dueAtMs: nowMs + dueMs }
    }
  })
  t.after(() => pace.stop())
  pace.wake()
  const from = performance.now()
  await eventually(() => performance.now() - from > 1000, 'a second to pass')
  pace.stop()
  return { ...seen, pace }
}

test('the first look is a whole one, then most are glances and each quarter of a second has a whole one', async (t) => {
  const { glances, looks, late } = await run(t)
  const onTime = looks.length - late
  assert.ok(onTime >= 1 && onTime <= 5, `${onTime} looks on time`)
  assert.ok(looks.length < glances * FEW || late > onTime, `${looks.length} looks and ${glances} glances, ${late} late`)
})

test('where a glance shows something, or a look is due, it is a whole look', async (t) => {
  const shown = await run(t, { glance: () => null })
  assert.ok(shown.looks.length - shown.late >= shown.glances, `${shown.looks.length} looks, ${shown.late} late, after ${shown.glances} glances`)
  const due = await run(t, { dueMs: STEP_MS / 2 })
  assert.ok(due.looks.length > 20 && due.glances < due.looks.length * FEW, `${due.looks.length} looks and ${due.glances} glances`)
})

test('what has come up is looked at on the next waking, and nothing after the end', async (t) => {
  const { pace, looks } = await run(t)
  const before = looks.length
  pace.hurry()
  pace.wake()
  assert.equal(looks.length, before + 1)
  pace.stop()
  await new Promise((resolve) => setTimeout(resolve, 5 * STEP_MS))
  assert.equal(looks.length, before + 1)
})
