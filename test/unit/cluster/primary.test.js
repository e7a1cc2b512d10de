'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { SeriesWriter } = require('../../../lib/cluster/metrics/series')
const { VERSION } = require('../../../lib/cluster/wire')
const { eventually } = require('../../support/app')
const { connect, metrics, startPrimary, startWorker } = require('../../support/lib/cluster-primary')
const { makeRecord } = require('../../support/record')

/** Of the first metric. @param {import('../../../lib/types').Family[]} families */
const sumOf = ([{ groups }]) => groups.flatMap(({ values }) => values).reduce((total, { value }) => total + value, 0)

test('64 workers join, answer, leave, and others take their places', async (t) => {
  const { primary, address, listening, value, faults } = startPrimary(t)
  await listening()
  primary.tellUrl('http://127.0.0.1:1')
  const values = Array.from({ length: 64 }, (_, i) => i)
  const workers = values.map((_, i) => startWorker(t, address, () => values[i]))
  await eventually(() => workers.every(({ said }) => said.includes('joined http://127.0.0.1:1')), 'all to join')
  assert.deepEqual(primary.state.workers, { answering: 64, silent: 0 })
  for (const i of values.keys()) values[i] += 100
  // A scrape asks: what changed a moment ago is there.
  const union = await eventually(async () => {
    const now = await primary.union(async () => metrics(0))
    return sumOf(now) === values.reduce((total, value) => total + value, 0) && now
  }, 'the sum over all')
  assert.equal(new Set(union[0].groups.map(({ worker }) => worker)).size, 65)

  for (const { worker } of workers.slice(0, 32)) worker.close()
  await eventually(() => primary.state.workers.answering === 32, 'half to leave')
  const next = Array.from({ length: 32 }, () => startWorker(t, address, () => 1))
  await eventually(() => next.every(({ said }) => said.length > 1), 'others to join')
  assert.equal([...primary.state.restarts.values()].reduce((sum, count) => sum + count, 0), 32)
  assert.equal(primary.state.restarts.size, 64)
  const after = await primary.union(async () => metrics(0))
  assert.equal(sumOf(after), values.reduce((total, value) => total + value, 0) + 32)
  assert.equal(await value('b', 1), 1)
  assert.deepEqual(faults, [])
})

test('bytes that no worker would send end their connection and nothing else', async (t) => {
  const { primary, address, listening, faults, value } = startPrimary(t)
  await listening()
  const good = await connect(address)
  const slot = await good.join()
  for (const message of new SeriesWriter().changes(metrics(5))) good.send(message)

  const bad = {
    garbage: Buffer.from('\x16\x03\x01nonsense\n\xff\xfe'),
    'GET / HTTP/1.1': Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
    'not an object': Buffer.from('[1]\n'),
    'no hello': Buffer.from('{"t":"metrics","values":[]}\n'),
    'hello without instance': Buffer.from(`{"t":"hello","v":${VERSION}}\n`),
    'metrics that are not valid': Buffer.from(`{"t":"hello","v":${VERSION},"pid":1,"instance":"x"}\n{"t":"metrics","series":[{"index":0,"name":"a b"}]}\n`),
    'a block that is none': Buffer.from(`{"t":"hello","v":${VERSION},"pid":1,"instance":"y"}\n{"t":"block","record":{"id":"<script>"}}\n`),
    'a block with an origin that is none': Buffer.from(`{"t":"hello","v":${VERSION},"pid":1,"instance":"y"}\n${JSON.stringify({ t: 'block', record: { ...makeRecord(), origin: {} } })}\n`),
    'a line of 100 MB': Buffer.alloc(100 * 1024 * 1024, 'x')
  }
  for (const [what, bytes] of Object.entries(bad)) {
    const { socket, closed } = await connect(address)
    const before = faults.length
    socket.write(bytes)
    await closed()
    await eventually(() => faults.length === before + 1, () => `${what} to be said: ${faults}`)
  }
  const half = await connect(address)
  half.socket.end('{"t":"hel')
  await half.closed()
  const silent = await connect(address)
  await silent.closed()
  const version = await connect(address)
  version.send({ t: 'hello', v: 99, instance: 'z' })
  await version.closed()
  assert.match(version.got[0].reason, /version 2, not 99/)

  assert.ok(!good.socket.destroyed)
  await eventually(() => primary.state.workers.answering === 1, 'the good one alone')
  assert.equal(await value('a_total', slot), 5)
})

test('a worker that stops answering is waited for shortly and loses its gauges; it is not forgotten', async (t) => {
  const { primary, address, clock, listening, value } = startPrimary(t)
  await listening()
  const worker = await connect(address)
  await worker.join()
  for (const message of new SeriesWriter().changes(metrics(5))) worker.send(message)
  await eventually(async () => await value('b', 1) === 5, 'its metrics')
  clock.aheadMs = 6000
  assert.equal(await value('a_total', 1), 5)
  assert.equal(await value('b', 1), undefined)
  assert.deepEqual(primary.state.workers, { answering: 0, silent: 1 })
})

test('blocks of a worker come with its number, grow while they are in progress, and end with it', async (t) => {
  const { primary, address, blocks, listening } = startPrimary(t)
  await listening()
  const worker = await connect(address)
  const slot = await worker.join()
  worker.send({ t: 'block', record: makeRecord({ ongoing: true, durationMs: 100 }) })
  await eventually(() => primary.blockedMs[0].blockedMs > 150, 'it to grow')
  assert.equal(primary.ongoing[0].worker, slot)
  worker.send({ t: 'block', record: makeRecord({ id: '4242-2', thread: 'worker 3', ongoing: true, durationMs: 1e6 }) })
  worker.send({ t: 'block', record: makeRecord({ durationMs: 250 }) })
  await eventually(() => primary.ongoing.length === 1 && primary.ongoing[0].id === '4242-2', 'its end')
  assert.deepEqual(primary.blockedMs, [{ worker: slot, blockedMs: 0 }], 'other threads do not block the worker')
  worker.socket.destroy()
  await eventually(() => blocks.at(-1).id === '4242-2' && !blocks.at(-1).ongoing, 'the worker\'s end to end its block')
  assert.ok(blocks.every((record) => record.worker === slot))
  assert.deepEqual(primary.blockedMs, [])
})

test('a block whose end was lost ends when it is no longer told of; endless blocks are few', async (t) => {
  const { primary, address, clock, blocks, listening } = startPrimary(t)
  await listening()
  const worker = await connect(address)
  await worker.join()
  worker.send({ t: 'block', record: makeRecord({ ongoing: true, durationMs: 100 }) })
  await eventually(() => primary.ongoing.length === 1, 'its block')
  clock.aheadMs = 6000
  for (const message of new SeriesWriter().changes(metrics(5))) worker.send(message)
  await eventually(() => primary.ongoing.length === 0, 'its end')
  assert.deepEqual(blocks.map(({ ongoing, durationMs }) => [ongoing, durationMs]), [[true, 100], [false, 100]])
  for (let i = 0; i < 200; i++) worker.send({ t: 'block', record: makeRecord({ id: `4242-${i}`, ongoing: true }) })
  await eventually(() => blocks.at(-1).id === '4242-199', 'all of them')
  assert.equal(primary.ongoing.length, 20)
})

test('a worker that comes back shows what it had until its metrics have come', async (t) => {
  const { primary, address, listening, value } = startPrimary(t)
  await listening()
  /** @param {string} instance @param {number} pid */
  const join = async (instance, pid) => {
    const worker = await connect(address)
    await worker.join({ instance, pid })
    return worker
  }
  const first = await join('a', 4194401)
  for (const message of new SeriesWriter().changes(metrics(5))) first.send(message)
  await eventually(async () => await value('a_total', 1) === 5, 'its metrics')
  first.socket.destroy()
  await eventually(() => primary.state.workers.answering === 0, 'it to leave')
  const again = await join('a', 4194401)
  const messages = new SeriesWriter().changes(metrics(6))
  for (const message of messages.slice(0, -1)) again.send(message)
  assert.equal(await value('a_total', 1), 5)
  again.send(messages[messages.length - 1])
  await eventually(async () => await value('a_total', 1) === 6, 'its metrics of now')
  // Another life of its watchdog is added, and no restart of the worker.
  again.socket.destroy()
  await eventually(() => primary.state.workers.answering === 0, 'it to leave')
  const next = await join('b', 4194401)
  assert.equal(await value('a_total', 1), 6)
  for (const message of new SeriesWriter().changes(metrics(1))) next.send(message)
  await eventually(async () => await value('a_total', 1) === 7, 'the sum of both')
  assert.deepEqual([...primary.state.restarts], [[1, 0]])
})
