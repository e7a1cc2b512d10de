'use strict'

// Takes a quarter of a minute, on a busy machine a whole one: each test starts a process with a library, two of them a
// PostgreSQL of their own.
// What libraries run has its name without a line of code, with the real libraries. BullMQ works on a real Redis,
// pg-boss and graphile-worker on a real PostgreSQL. For KafkaJS and amqplib there is no broker here: their own
// consumers are handed messages as their connections would.
const { test } = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { missingDatabase, startDatabase } = require('../../scenarios/cluster-http/database/database')
const { culpritsOf } = require('../../lib/cli/blocks/top')
const { eventually, startNode } = require('../support/app')
const { parseExposition } = require('../support/exposition')
const { makeDir } = require('../support/files')
const { noRedis, startRedis } = require('../support/redis')

/** What is read of a message or job beyond its name would have this in it. */
const SECRET = 'hunter2'

/** Under CI it fails instead. */
const noDatabase = process.env.CI === 'true' ? false : missingDatabase() ?? false

/**
 * A process whose work comes by a library: the first block that was in it once it had started, and how it was counted.
 * @param {import('node:test').TestContext} t
 * @param {string} library
 * @param {{ env?: Record<string, string>, isOurs?: (record: any) => boolean }} [how]
 */
async function workOf (t, library, { env = {}, isOurs = ({ frame, startup }) => frame?.function === 'spin' && !startup } = {}) {
  const { child, out } = startNode(t, ['libraries-app.js', library], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const [{ url }] = await once(child, 'message')
  /** @returns {Promise<any[]>} */
  const blocks = async () => /** @type {any} */ (await (await fetch(`${url}/blocks`)).json())
  const record = await eventually(async () => (await blocks()).find((each) => !each.ongoing && isOurs(each)),
    () => `a block in ${library}; ${out.stdout} ${out.stderr}`, 30_000)
  assert.ok(!JSON.stringify(record).includes(SECRET))
  const { name, kind } = record.work ?? assert.fail(`no work in ${JSON.stringify(record)}`)
  const counted = await eventually(async () => {
    const { samples } = parseExposition(await (await fetch(`${url}/metrics`)).text())
    return samples.find((sample) => sample.name === 'loopwatch_work_duration_seconds_count' && sample.labels.work === name)
  }, `${name} to be counted`)
  assert.equal(counted.labels.kind, kind)
  return { ...record.work, thread: record.threadId === 0 ? 'main' : 'worker' }
}

/** @param {import('node:test').TestContext} t @returns {Promise<string>} its URL */
async function startPostgres (t) {
  const database = await startDatabase(new AbortController().signal)
  t.after(() => database.stop())
  return database.url
}

test('a job of BullMQ is named by queue and job', { skip: noRedis }, async (t) => {
  const { kind, name, ended, attributes } = await workOf(t, 'bullmq', { env: { REDIS_PORT: await startRedis(t) } })
  assert.deepEqual([kind, name, ended, attributes], ['job', 'email:send', false, {}])
})

test('a job of pg-boss is named by its queue', { skip: noDatabase }, async (t) => {
  const { kind, name, ended } = await workOf(t, 'pg-boss', { env: { DATABASE_URL: await startPostgres(t) } })
  assert.deepEqual([kind, name, ended], ['job', 'thumbnails', false])
})

test('a job of graphile-worker is named by its task', { skip: noDatabase }, async (t) => {
  const { kind, name, ended } = await workOf(t, 'graphile-worker', { env: { DATABASE_URL: await startPostgres(t) } })
  assert.deepEqual([kind, name, ended], ['job', 'send-mail', false])
})

test('a job of agenda is named by its name', { skip: noRedis }, async (t) => {
  const { kind, name, ended } = await workOf(t, 'agenda', { env: { REDIS_PORT: await startRedis(t) } })
  assert.deepEqual([kind, name, ended], ['job', 'send invoices', false])
})

test('a job of agenda loaded with import has a name once require() has returned the same module', async (t) => {
  const dir = makeDir(t)
  fs.symlinkSync(path.join(__dirname, '..', 'node_modules'), path.join(dir, 'node_modules'))
  const file = path.join(dir, 'app.mjs')
  fs.writeFileSync(file, `
    import { createRequire } from 'node:module'
    import { Job } from 'agenda'
    createRequire(import.meta.url)('agenda')
    const { run } = Job.prototype
    createRequire(import.meta.url)(${JSON.stringify(path.join(__dirname, '..', '..'))}).start({ port: false, log: false })
    const timer = setInterval(() => {
      if (Job.prototype.run === run) return
      clearInterval(timer)
      console.log('named')
      process.exit()
    }, 50)`)
  const { closed, out } = startNode(t, [file])
  await eventually(() => out.stdout === 'named\n', () => `Job.run() to be named; ${out.stdout} ${out.stderr}`, 30_000)
  await closed
})

test('two jobs of @nestjs/schedule that call one function are two works, and both are in the row of that function', async (t) => {
  const { child, out } = startNode(t, ['libraries-app.js', 'nest-schedule'], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const [{ url }] = await once(child, 'message')
  const rowOf = async () => {
    const blocks = /** @type {any[]} */ (await (await fetch(`${url}/blocks`)).json())
    return culpritsOf(blocks.filter(({ startup }) => !startup)).find(({ place }) => place.includes('spin ('))
  }
  const jobs = ['job nightly-rollup', 'job cron */2 * * * * *']
  await eventually(async () => {
    const work = (await rowOf())?.work
    return jobs.every((name) => work?.includes(name))
  }, () => `both jobs; ${out.stdout} ${out.stderr}`, 30_000)
})

test('a job of Bree is the work of its thread', async (t) => {
  const isOurs = (/** @type {any} */ { threadId }) => threadId !== 0
  const { kind, name, thread } = await workOf(t, 'bree', { isOurs })
  assert.deepEqual([kind, name, thread], ['job', 'report', 'worker'])
})

for (const [library, expectedKind, expectedName] of [
  ['node-cron', 'job', 'nightly'],
  ['node-cron-unnamed', 'job', 'cron */2 * * * * *'],
  ['cron', 'job', 'nightly'],
  ['cron-unnamed', 'job', 'cron */2 * * * * *'],
  ['kafkajs', 'message', 'kafka orders'],
  ['amqplib', 'message', 'amqp invoices'],
  ['graphql', 'operation', 'query Sales'],
  ['socket.io', 'message', 'socket.io /shop checkout'],
  ['ws', 'message', 'ws /chat/:id'],
  ['nest-ws', 'message', 'ws /quotes price'],
  ['nest-socket.io', 'message', 'socket.io /quotes price']
]) {
  test(`work of ${library} is called "${expectedName}"`, async (t) => {
    const { kind, name } = await workOf(t, library)
    assert.deepEqual([kind, name], [expectedKind, expectedName])
  })
}
