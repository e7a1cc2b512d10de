'use strict'

// The agent next to an open inspector port and a real debugger.
// linux: whether a debugger has paused the thread
const test = require('node:test')
const assert = require('node:assert/strict')
const { eventually } = require('../support/app')
const { startInspected, connect, debugRequest, LEAST_STEPS } = require('../support/debugger')
const { ownCauseOf } = require('../../lib/tables/causes')
const { LATE_MS } = require('../../lib/watchdog/loop/sampler')

/** Causes of blocks that a busy machine makes at any time. */
const OF_MACHINE = ['starved', 'gc']

/** @typedef {Awaited<ReturnType<typeof startInspected>>} App */

/** A busy machine keeps each block waiting for a CPU. */
const TRIES = 10

/**
 * The record of a block, which is not the machine's doing if one of some tries is not.
 * @param {App} app
 * @param {string} name of the route
 */
async function blockOf (app, name) {
  let record
  for (let i = 0; i < TRIES && (i === 0 || OF_MACHINE.includes(ownCauseOf(record))); i++) {
    const earlier = new Set((await blocksOf(app)).map((/** @type {any} */ { id }) => id))
    const isNew = (/** @type {any} */ { id, ongoing, request, durationMs, frame }) =>
      !ongoing && !earlier.has(id) && request?.route === `/${name}` && durationMs > 250 && frame !== null
    // The log of a busy machine leaves blocks out.
    record = await eventually(async () => {
      // The server closes idle connections as a long pause ends.
      await app.get(`/${name}?ms=300`).catch(() => {})
      return (await blocksOf(app)).find(isNew)
    }, async () => `${name} in ${JSON.stringify(await blocksOf(app))}`)
  }
  return record
}

/** Its cause, or the expected one where the machine is to blame. @param {any} record @param {string} expected */
const causeOf = (record, expected) => OF_MACHINE.includes(ownCauseOf(record)) ? expected : ownCauseOf(record)

/** @param {App} app @returns {Promise<any>} */
const blocksOf = async (app) => (await app.watchdog('/blocks')).json()

/** @param {App} app */
async function degraded (app) {
  const metrics = await (await app.watchdog('/metrics')).text()
  return [...metrics.matchAll(/loopwatch_degraded\{reason="(\w+)"\} 1/g)].map(([, reason]) => reason)
}

test('a block has line, request and cause while an inspector port is open and nobody is connected', async (t) => {
  const app = await startInspected(t)
  const record = await blockOf(app, 'spin')
  const { frame, request } = record
  const cause = causeOf(record, 'js')
  assert.deepEqual({ hasLine: frame?.line > 0, route: request.route, cause }, { hasLine: true, route: '/spin', cause: 'js' })
  assert.deepEqual((await degraded(app)).filter((reason) => reason !== 'profile'), [])
})

test('a block has line, request and cause while a debugger is connected that does not pause', async (t) => {
  const app = await startInspected(t)
  const { close } = await connect(app.inspectorUrl)
  t.after(close)
  for (const [name, expected] of [['spin', 'js'], ['atomicsWait', 'sync-io'], ['exec', 'sync-io'], ['pbkdf2', 'native']]) {
    const record = await blockOf(app, name)
    const { frame, request } = record
    const cause = causeOf(record, expected)
    const { route } = request
    assert.deepEqual({ name, hasLine: frame?.line > 0, route, cause }, { name, hasLine: true, route: `/${name}`, cause: expected })
  }
})

test('a pause at a breakpoint and steps from there leave no block behind', async (t) => {
  const app = await startInspected(t)
  const client = await connect(app.inspectorUrl)
  await blockOf(app, 'spin')
  // On a busy machine, answering the debugger as it connects may take longer than the threshold.
  const known = new Set((await blocksOf(app)).map((/** @type {any} */ { id }) => id))
  assert.ok(await debugRequest(app, client) >= LEAST_STEPS)
  const files = [...client.paused.files].filter((name) => !['blocks.js', 'app.js'].includes(name))
  assert.deepEqual(files, [], 'the debugger does not stop in what the agent asks')
  const after = await blockOf(app, 'spin')
  // A request that a busy machine records late is made again. A question that it answers late cannot show a pause.
  const isOther = (/** @type {any} */ { id, cause, request, evidence }) =>
    !known.has(id) && !OF_MACHINE.includes(cause) && request?.route !== '/spin' && !(evidence.answerMs >= LATE_MS)
  const meanwhile = (await blocksOf(app)).filter(isOther)
  assert.deepEqual(meanwhile, [])
  assert.ok(after.frame.line > 0)
})
