'use strict'

// runtime: async contexts
const { test } = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const { eventually, startNode } = require('../support/app')
const { parseExposition } = require('../support/exposition')

const AGAIN_MS = 5000

/** A queue worker under the agent. @param {import('node:test').TestContext} t @param {Record<string, string>} [env] */
async function startWorker (t, env = {}) {
  const app = startNode(t, ['work-app.js'], { env, stdio: ['pipe', 'pipe', 'pipe', 'ipc'] })
  const [{ url }] = await once(app.child, 'message')
  /** The block that an act makes, once it is settled. @param {string} what */
  const blockOf = async (what) => {
    const known = new Set((await blocks()).map(({ id }) => id))
    app.child.send({ do: what })
    let sentAt = performance.now()
    // A busy machine adds others, and may leave no code to blame for ours.
    const isOurs = (/** @type {any} */ { id, ongoing, frame }) => !known.has(id) && !ongoing && frame?.function === 'spin'
    return eventually(async () => {
      if (performance.now() - sentAt > AGAIN_MS) {
        app.child.send({ do: what })
        sentAt = performance.now()
      }
      return (await blocks()).find(isOurs)
    }, () => `the block of ${what}; ${app.out.stdout} ${app.out.stderr}`)
  }
  /** @returns {Promise<any[]>} */
  const blocks = async () => /** @type {any} */ (await (await fetch(`${url}/blocks`)).json())
  const samples = async () => parseExposition(await (await fetch(`${url}/metrics`)).text()).samples
  return { ...app, blockOf, samples }
}

test('a block of a queue worker names its job on its first block, with its attributes, and so does the log', async (t) => {
  const { blockOf, out } = await startWorker(t)
  const { work, request, frame } = await blockOf('job')
  assert.deepEqual([work.kind, work.name, work.parent, work.ended, work.attributes], ['task', 'email:send', null, false, { tenant: 'acme', attempt: 2 }])
  assert.deepEqual([request, frame.function], [null, 'spin'])
  const line = await eventually(() => out.stdout.split('\n').find((text) => text.includes('"settled"') && text.includes('email:send')), 'the log line')
  assert.equal(JSON.parse(line).work.name, 'email:send')
  assert.ok(!line.includes('acme'), 'attributes are in the record alone')
})

test('nested work, a wrapped function, what work left behind and what nobody named are told apart', async (t) => {
  const { blockOf } = await startWorker(t)
  const nested = (await blockOf('nested')).work
  assert.deepEqual([nested.name, nested.parent.name, nested.parent.kind], ['inner', 'outer', 'task'])
  assert.equal((await blockOf('wrapped')).work.name, 'wrapped')
  const left = (await blockOf('left')).work
  assert.deepEqual([left.name, left.ended], ['left', true])
  assert.equal((await blockOf('idle')).work, null)
})

test('metrics show the time that work took from other work, and that other work took from it', async (t) => {
  const { blockOf, samples } = await startWorker(t)
  await blockOf('victim')
  const valueOf = async (/** @type {string} */ name, /** @type {string} */ work) =>
    (await samples()).filter((sample) => sample.name === name && sample.labels.work === work)
      .reduce((sum, { value }) => (sum ?? 0) + value, /** @type {number | undefined} */ (undefined))
  const lost = /** @type {number} */ (await eventually(() => valueOf('loopwatch_work_blocked_seconds_sum', 'victim'), 'the victim to be counted'))
  assert.ok(lost > 0.15, `it lost ${lost} s`)
  assert.equal(await valueOf('loopwatch_work_blocked_seconds_sum', 'culprit'), 0)
  // A block is charged when it has settled, later than its work has ended. Its last sample may come after the work,
  // and stands for up to 30 ms; on a busy machine for more, then another one shows it.
  let chargedAt = performance.now()
  await eventually(async () => {
    if (performance.now() - chargedAt > AGAIN_MS) {
      await blockOf('victim')
      chargedAt = performance.now()
    }
    return Number(await valueOf('loopwatch_blocked_seconds_total', 'culprit')) > 0.15
  }, async () => `the culprit to be charged: ${JSON.stringify(await samples())}`)
  assert.ok(/** @type {number} */ (await valueOf('loopwatch_work_duration_seconds_sum', 'culprit')) > 0.19)
  await eventually(async () => (await samples()).find(({ name }) => name === 'loopwatch_work_in_flight')?.value === 0, 'all work to be over')
})

test('the active OpenTelemetry span names what nobody else has named', async (t) => {
  const { blockOf } = await startWorker(t, { WORK_REQUESTS: 'on' })
  const { work } = await blockOf('span')
  assert.deepEqual([work.kind, work.name, work.id, work.traceId, work.spanId, work.sampled, work.ended],
    ['span', 'process order', '3'.repeat(16), 'c'.repeat(32), '3'.repeat(16), true, false])
})

test('with requests: off work has its name all the same, and after stop() the process ends', async (t) => {
  const { blockOf, child, closed } = await startWorker(t, { WORK_REQUESTS: 'off' })
  assert.equal((await blockOf('job')).work.name, 'email:send')
  child.send({ do: 'stop' })
  assert.equal((await closed).code, 0)
})
