'use strict'

// Every way of blocking in scenarios/bakeoff/corpus/blocks.js, in a request of a real application, on real
// time: what the log says while it lasts and when it is over.
// runtime: V8 interrupts, stacks and profiles
const test = require('node:test')
const assert = require('node:assert/strict')
const { truth } = require('../../scenarios/bakeoff/corpus/truth')
const { startApp, startNode, eventually } = require('../support/app')
const { ownCauseOf } = require('../../lib/tables/causes')

/** Of a block: that others had the CPU for so much of it, by the kernel's count, tells nothing of the agent. */
const TAKEN = 0.25
const ATTEMPTS = 5
/** The log has a line for so many blocks, and for one more each second. */
const LOGGED_AT_ONCE = 8
let attempts = 0

/**
 * What was said of one block of this kind, of which the machine took no large part.
 * @param {Awaited<ReturnType<typeof startApp>>} app
 * @param {string} name
 */
async function attempt (app, name) {
  for (let left = ATTEMPTS; ; left--) {
    await eventually(async () => /** @type {any} */ (await (await app.watchdog('/healthz')).json()).status === 'ok', 'calm before the block')
    if (++attempts > LOGGED_AT_ONCE) await new Promise((resolve) => setTimeout(resolve, 1000))
    const known = new Set(app.lines().map(({ block }) => block))
    const { ms } = /** @type {any} */ (await (await app.get(`/${name}?ms=300`)).json())
    const settled = await app.line((line) => line.event === 'settled' && !known.has(line.block) && line.request?.route === `/${name}` && line.durationMs > ms / 2, `${name} to be settled`)
    const opened = app.lines().find((line) => line.event === 'opened' && line.block === settled.block)
    const isTaken = [opened, settled].some((line) => line?.evidence.runQueueMs > line?.durationMs * TAKEN)
    if (!isTaken || left === 1) return { ms, opened, settled }
  }
}

test('each kind of block is reported while it is in progress, with function, request, cause and duration', async (t) => {
  const app = await startApp(t)
  // Made on the first call; a block of its own.
  await app.get('/jsonParse')

  for (const [name, { cause, frames, answers }] of Object.entries(truth)) {
    await t.test(name, async () => {
      const { ms, opened, settled } = await attempt(app, name)
      const seen = JSON.stringify(settled)

      assert.ok(opened, `not reported while it lasted: ${seen}`)
      assert.ok(opened.durationMs < ms, `reported late: ${JSON.stringify(opened)}`)
      // First answers of a storm, or all of them, may have come from between two callbacks, where no request runs.
      const isBetween = name.endsWith('Storm') && (opened.frame === null || opened.request === null)
      if (answers && opened.frame !== null) assert.ok(frames.includes(opened.frame.function), `frame while it lasts: ${JSON.stringify(opened)}`)
      if (answers && !isBetween) assert.deepEqual([opened.frame !== null, opened.request?.route], [true, `/${name}`], JSON.stringify(opened))
      assert.ok(frames.includes(settled.frame?.function), `frame: ${seen}`)
      assert.match(settled.frame.file, /blocks\.js$/)
      assert.ok(cause.includes(ownCauseOf(settled)), `cause: ${seen}`)
      assert.equal(settled.request.method, 'GET')
      // The application measures from the call; the loop may have been busy a little around it, or kept waiting for a
      // CPU.
      const errorMs = Math.abs(settled.durationMs - ms)
      assert.ok(errorMs <= settled.uncertaintyMs + 25 + (settled.evidence.runQueueMs ?? 0), `${settled.durationMs} ± ${settled.uncertaintyMs} is not ${ms}: ${seen}`)
    })
  }
})

test('code at the top level, before the loop turns, is one quiet line at its end', async (t) => {
  const { own, stdout } = await eventually(async () => {
    const { stdout } = await startNode(t, ['top-level.js']).closed
    const lines = stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line))
    // On a busy machine the watchdog may get no CPU while it lasts.
    return lines.some(({ event, samples }) => event === 'settled' && samples > 0) &&
      { stdout, own: lines.filter(({ frame }) => frame?.function === 'atTopLevel') }
  }, 'a block with a stack')
  assert.deepEqual(own.map(({ event, level }) => ({ event, level })), [{ event: 'settled', level: 30 }], stdout)
  const [after] = own
  assert.match(after.msg, /at startup/)
  assert.equal(ownCauseOf(after), 'js')
  assert.ok(Math.abs(after.durationMs - 500) < 150, `${after.durationMs} is not about 500`)
})
