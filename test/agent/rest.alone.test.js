'use strict'

// A loop that idles beats four times a second. A block that comes out of that is told as any other.
// runtime: libuv's loop and its timers
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const { setTimeout: sleep } = require('node:timers/promises')
const { startApp } = require('../support/app')

const isLinux = process.platform === 'linux'
const options = { skip: !isLinux && 'only Linux tells whether a thread waits for events' }
const DEEP_MS = 4000
/** Where the loop never rests it is 70 and more: 40 beats and 26 looks. */
const MOST_WAKE_UPS = 45
/** 33 a second, each of which wakes V8's own thread and the application's. */
const SAMPLES = 67
/** V8 collects garbage now and then, for a second or two: its own threads wake 40 times a second then. */
const WINDOWS = 5
const WINDOW_MS = 2000

/** @param {number | undefined} pid */
const wakeUps = (pid) => fs.readdirSync(`/proc/${pid}/task`).reduce((sum, tid) => {
  const status = fs.readFileSync(`/proc/${pid}/task/${tid}/status`, 'latin1')
  return sum + Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1])
}, 0)

/** @param {number | undefined} pid @returns {Promise<number[]>} a second */
async function wakeUpsOf (pid) {
  const perSecond = []
  for (let i = 0; i < WINDOWS; i++) {
    const [before, fromMs] = [wakeUps(pid), performance.now()]
    await sleep(WINDOW_MS)
    perSecond.push((wakeUps(pid) - before) / (performance.now() - fromMs) * 1000)
  }
  return perSecond
}

test('an idle process is woken less than 45 times a second', options, async (t) => {
  const app = await startApp(t, { options: { profile: 'off' } })
  await sleep(DEEP_MS)
  const perSecond = await wakeUpsOf(app.child.pid)
  t.diagnostic(`${perSecond}`)
  assert.ok(Math.min(...perSecond) < MOST_WAKE_UPS, `${perSecond}`)
})

test('it is woken no more often than that and twice for each sample of V8, whose loop rests, too', options, async (t) => {
  const app = await startApp(t, { options: { profile: 'on' } })
  await sleep(DEEP_MS)
  const perSecond = await wakeUpsOf(app.child.pid)
  t.diagnostic(`${perSecond}`)
  assert.ok(Math.min(...perSecond) < MOST_WAKE_UPS + SAMPLES, `${perSecond}`)
})

for (const profile of /** @type {const} */ (['off', 'on'])) {
  for (const [name, ms] of /** @type {const} */ ([['spin', 1500], ['atomicsWait', 1500], ['spin', 120], ['atomicsWait', 120]])) {
    test(`a block of ${ms} ms out of deep idle has its line and duration: ${name}, profile ${profile}`, options, async (t) => {
      const app = await startApp(t, { options: { profile } })
      await sleep(DEEP_MS)
      const sent = app.get(`/${name}?ms=${ms}`)
      const isOver = sent.then(() => true)
      if (ms > 1000) await isToldInTime(app, name, isOver)
      const { ms: tookMs } = /** @type {any} */ (await (await sent).json())
      const isEnd = (/** @type {any} */ { event, request }) => event === 'settled' && request?.route === `/${name}`
      const settled = await app.line(isEnd, 'its end')
      assert.equal(settled.frame?.function, name)
      assert.ok(settled.frame.line > 0)
      const differenceMs = Math.abs(settled.durationMs - tookMs)
      assert.ok(differenceMs <= settled.uncertaintyMs + Math.min(300, ms / 4), `${settled.durationMs} of ${tookMs}`)
    })
  }
}

/** @param {any} app @param {string} name of the handler that blocks @param {Promise<boolean>} isOver */
async function isToldInTime (app, name, isOver) {
  // The first word may come before a stack is taken, where the host takes the CPU for a moment.
  const isTold = (/** @type {any} */ { event, request }) => event !== 'settled' && request?.route === `/${name}`
  const opened = await app.line(isTold, 'the block')
  assert.ok(opened.durationMs < 1400, `${opened.durationMs}`)
  assert.equal(await Promise.race([isOver, sleep(0, false)]), false, 'told while it lasts')
}
