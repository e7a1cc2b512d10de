'use strict'

// runtime: built-ins that are frozen
const test = require('node:test')
const assert = require('node:assert/strict')
const { setTimeout: sleep } = require('node:timers/promises')
const { eventually, startNode } = require('../support/app')
const { logsIn, metricsIn, startOtlpReceiver } = require('../support/lib/otlp')
const { start } = require('../..')

const FROZEN_MS = 1500
/** The time-out of a request for OTLP. */
const REQUEST_MS = 10000
const NOWHERE = 'http://127.0.0.1:9'

/** @param {import('node:test').TestContext} t @param {string} url */
async function startFrozen (t, url) {
  const app = startNode(t, ['frozen-app.js', url])
  await eventually(() => app.out.stdout.includes('ready'), () => `ready; stderr: ${app.out.stderr}`)
  return {
    ...app,
    /** @param {string} line */
    invoke: async (line) => {
      const known = app.out.stdout.length
      app.child.stdin?.write(`${line}\n`)
      await eventually(() => app.out.stdout.length > known, () => `an answer; stderr: ${app.out.stderr}`)
    }
  }
}

test('what an invocation did has arrived before the process is frozen, and the time of the freeze is suspended', { skip: process.platform === 'win32' }, async (t) => {
  const { got, url } = await startOtlpReceiver(t)
  const { child, invoke } = await startFrozen(t, url)
  await invoke('work')
  child.kill('SIGSTOP')
  const before = logsIn(got).map(({ body }) => body)
  assert.ok(before.some((body) => /was blocked for .*( work \(|starved)/.test(JSON.stringify(body))), JSON.stringify(before))
  assert.ok('loopwatch_build_info' in metricsIn(got))

  await sleep(FROZEN_MS)
  child.kill('SIGCONT')
  // The freeze itself is known at the latest after the next invocation.
  await eventually(async () => {
    await invoke('nothing')
    return logsIn(got).length > before.length
  }, () => JSON.stringify(logsIn(got)))
  assert.match(JSON.stringify(logsIn(got).slice(before.length)), /\(suspended\)/)
})

test('a flush to a receiver that is away or does not answer ends before the request does, and does not reject', async (t) => {
  const { url } = await startOtlpReceiver(t, () => ({ isSilent: true }))
  for (const receiver of [NOWHERE, url]) {
    const { invoke } = await startFrozen(t, receiver)
    const startMs = performance.now()
    await invoke('work')
    const tookMs = performance.now() - startMs
    t.diagnostic(`${Math.round(tookMs)} ms`)
    assert.ok(tookMs < REQUEST_MS, `${tookMs} ms`)
  }
})

test('a flush of an agent that pushes nothing, or that has been stopped, is done at once', async () => {
  const agent = start({ port: false, log: false })
  await agent.flush()
  await agent.stop()
  await agent.flush()
})
