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
const TRIES = 10
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

/**
 * How often a process is woken a second, in one window after the other until one is below the limit.
 * @param {number | undefined} pid
 * @param {number} most
 */
async function wakeUpsOf (pid, most) {
  /** @type {number[]} */
  const perSecond = []
  for (let i = 0; i < WINDOWS && Math.min(...perSecond) >= most; i++) {
    const [before, fromMs] = [wakeUps(pid), performance.now()]
    await sleep(WINDOW_MS)
    perSecond.push((wakeUps(pid) - before) / (performance.now() - fromMs) * 1000)
  }
  return perSecond
}

for (const [profile, most] of /** @type {const} */ ([['off', MOST_WAKE_UPS], ['on', MOST_WAKE_UPS + SAMPLES]])) {
  const samples = profile === 'on' ? ', and twice for each sample of V8' : ''
  test(`an idle process is woken less than ${MOST_WAKE_UPS} times per second${samples}`, options, async (t) => {
    const app = await startApp(t, { options: { profile } })
    await sleep(DEEP_MS)
    const perSecond = await wakeUpsOf(app.child.pid, most)
    t.diagnostic(`${perSecond}`)
    assert.ok(Math.min(...perSecond) < most, `${perSecond}`)
  })
}

test('a block out of deep idle has its line and duration', options, async (t) => {
  const blocks = /** @type {const} */ ([['spin', 1500], ['atomicsWait', 1500], ['spin', 120], ['atomicsWait', 120]])
  const cases = /** @type {const} */ (['off', 'on']).flatMap((profile) => blocks.map(([name, ms]) => ({ profile, name, ms })))
  // They come to rest together.
  const apps = await Promise.all(cases.map(({ profile }) => startApp(t, { options: { profile } })))
  await sleep(DEEP_MS)
  for (const [i, { profile, name, ms }] of cases.entries()) {
    await t.test(`${name} for ${ms} ms, profile ${profile}`, async () => {
      const app = apps[i]
      let { settled, tookMs } = await blockOf(app, name, ms)
      // Others may have had the CPU: then once more, out of rest again.
      for (let i = 1; i < TRIES && (settled.frame === null || settled.evidence.runQueueMs > ms / 4); i++) {
        await sleep(DEEP_MS);
        ({ settled, tookMs } = await blockOf(app, name, ms))
      }
      assert.equal(settled.frame?.function, name)
      assert.ok(settled.frame.line > 0)
      const differenceMs = Math.abs(settled.durationMs - tookMs)
      assert.ok(differenceMs <= settled.uncertaintyMs + Math.min(300, ms / 4), `${settled.durationMs} of ${tookMs}`)
    })
  }
})

/** @param {any} app @param {string} name of the handler that blocks @param {number} ms */
async function blockOf (app, name, ms) {
  const earlier = new Set(app.lines().map((/** @type {any} */ { block }) => block))
  const isOurs = (/** @type {any} */ { block, request }) => !earlier.has(block) && request?.route === `/${name}`
  const sent = app.get(`/${name}?ms=${ms}`)
  if (ms > 1000) await isToldInTime(app, isOurs, sent.then(() => true))
  const { ms: tookMs } = /** @type {any} */ (await (await sent).json())
  const settled = await app.line((/** @type {any} */ line) => line.event === 'settled' && isOurs(line), 'its end')
  return { settled, tookMs }
}

/** @param {any} app @param {(line: any) => boolean} isOurs @param {Promise<boolean>} isOver */
async function isToldInTime (app, isOurs, isOver) {
  // The first word may come before a stack is taken, where the host takes the CPU for a moment.
  const opened = await app.line((/** @type {any} */ line) => line.event !== 'settled' && isOurs(line), 'the block')
  assert.ok(opened.durationMs < 1400, `${opened.durationMs}`)
  assert.equal(await Promise.race([isOver, sleep(0, false)]), false, 'told while it lasts')
}
