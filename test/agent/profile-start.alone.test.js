'use strict'

// The start of the CPU profile, which may pause the application for long, on a real process.
// runtime: V8's CPU profiler
const test = require('node:test')
const assert = require('node:assert/strict')
const os = require('node:os')
const path = require('node:path')
const { spawn } = require('node:child_process')
const { startNode } = require('../support/app')

const PACKAGE = JSON.stringify(path.join(__dirname, '..', '..', 'lib', 'index.js'))
/** So high that the profile starts on a busy machine, too. */
const THRESHOLD_MS = 400
const PAUSE_MS = 1200
const BUSY_FOR_EACH_CPU = 3

/**
 * What an idle application that runs for so long says at its end.
 * @param {import('node:test').TestContext} t
 * @param {number} ms
 * @param {{ threshold?: number, first?: string, awaited?: string }} [setup] first: code that runs before the agent
 *   starts; awaited: pattern of a metric
 */
async function runFor (t, ms, { threshold, first = '', awaited = '^' } = {}) {
  const { stdout, stderr } = await startNode(t, ['-e', `${first}
    const agent = require(${PACKAGE}).start(${JSON.stringify({ port: 0, log: { destination: 2 }, threshold })})
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
    setTimeout(async () => {
      for (let i = 0; i < 100 && !/${awaited}/m.test(await agent.metrics()); i++) await sleep(200)
      const [blocks, metrics] = [await agent.blocks(), await agent.metrics()]
      process.stdout.write(JSON.stringify({ blocks, metrics }), () => process.exit())
    }, ${ms})`]).closed
  const { blocks, metrics } = JSON.parse(stdout)
  const value = (/** @type {string} */ name) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(metrics)?.[1])
  return { blocks, value, stderr }
}

/** A start that pauses the application, whichever way the agent takes. */
const SLOW_START = `
  const pause = () => { const end = Date.now() + ${PAUSE_MS}; while (Date.now() < end); return true }
  const slow = (object, name) => {
    const start = object[name]
    let isPaused = false
    if (start === undefined) return
    object[name] = function () {
      // An interval below zero starts nothing.
      if (!isPaused && !(arguments[0]?.sampleInterval < 0)) isPaused = pause()
      return start.apply(this, arguments)
    }
    Object.defineProperty(object[name], 'length', { value: start.length })
  }
  slow(require('node:inspector').console, 'profile')
  slow(require('node:v8'), 'startCpuProfile')
`

test('a start that pauses the application is time of the agent, not a block', async (t) => {
  const { blocks, value, stderr } = await runFor(t, 6000, {
    threshold: THRESHOLD_MS, first: SLOW_START, awaited: '^loopwatch_own_blocked_seconds_total [^0]'
  })
  const isTaken = os.loadavg()[0] > BUSY_FOR_EACH_CPU * os.availableParallelism()
  if (value('loopwatch_profiling') === 0 && isTaken) return t.skip('the CPUs are taken')
  assert.equal(value('loopwatch_profiling'), 1, stderr)
  assert.match(stderr, /the start paused the application for \d+ ms instead of \d+ ms; the profiler does not start again/)
  const ownMs = 1000 * value('loopwatch_own_blocked_seconds_total')
  assert.ok(ownMs >= PAUSE_MS, `${ownMs} ms`)
  const isPause = (/** @type {any} */ { startup, durationMs }) => !startup && durationMs >= PAUSE_MS * 0.8
  assert.deepEqual(blocks.filter(isPause), [])
})

test('on a machine whose CPUs are taken the profile does not start', async (t) => {
  const busy = Array.from({ length: os.cpus().length * BUSY_FOR_EACH_CPU }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  t.after(() => busy.forEach((each) => each.kill('SIGKILL')))
  const { value, stderr } = await runFor(t, 6000)
  assert.equal(value('loopwatch_profiling'), 0, stderr)
})
