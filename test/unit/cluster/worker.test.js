'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { addressOf } = require('../../../lib/cluster/address')
const { VERSION } = require('../../../lib/cluster/wire')
const { nowMs } = require('../../../lib/util/clock')
const { eventually } = require('../../support/app')
const { startPrimary, startWorker } = require('../../support/lib/cluster-primary')
const { makeRecord } = require('../../support/record')

test('a worker sends the primary what it says of blocks, within bounds', async (t) => {
  const { primary, address, blocks, listening } = startPrimary(t)
  await listening()
  primary.tellUrl(null)
  const { worker, said } = startWorker(t, address, () => 1)
  await eventually(() => said.includes('joined null'), 'it to join')
  const frames = [{ function: 'f', file: '/f.js', line: 1, column: 1 }]
  const stacks = [{ count: 1, weightMs: 1, frames }, { count: 1, weightMs: 1, frames }]
  for (let i = 0; i < 100; i++) worker.tellBlock(makeRecord({ id: `1-${i}`, stacks }))
  await eventually(() => blocks.length === 101, 'all blocks')
  assert.equal(blocks[0].id, '1-early', 'from before it joined')
  assert.equal(blocks[1].stacks.length, 2)
  assert.equal(blocks[100].stacks.length, 1)
  worker.tellBlock(makeRecord({ startedAt: 'x'.repeat(20000) }))
  assert.equal(worker.takeLost(), 1)
  assert.equal(worker.takeLost(), 0)
})

test('a worker whose primary goes listens itself, and joins the next', async (t) => {
  const first = startPrimary(t)
  await first.listening()
  first.primary.tellUrl('http://127.0.0.1:1')
  const { said } = startWorker(t, first.address, () => 1)
  await eventually(() => said.includes('joined http://127.0.0.1:1'), 'it to join')
  first.primary.close()
  await eventually(() => said.includes('left alone'), 'it to be alone')
  const second = startPrimary(t, path.dirname(path.dirname(first.address)))
  second.primary.tellUrl('http://127.0.0.1:2')
  await eventually(() => said.at(-1) === 'joined http://127.0.0.1:2', () => `it to join the next: ${said}`)
})

test('a worker whose primary accepts and says nothing listens itself', async (t) => {
  const tmpdir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-test-'))
  t.after(() => fs.rmSync(tmpdir, { recursive: true, force: true }))
  for (const [pid, says] of /** @type {const} */ ([[process.pid, ''], [1, `${JSON.stringify({ t: 'welcome', v: VERSION, slot: 1 })}\n`]])) {
    const address = addressOf({ tmpdir, pid })
    fs.mkdirSync(path.dirname(address), { mode: 0o700, recursive: true })
    const server = net.createServer((socket) => socket.on('error', () => {}).resume().write(says)).listen(address)
    t.after(() => server.close())
    await once(server, 'listening')
    const { said } = startWorker(t, address, () => 1)
    await eventually(() => said.some((text) => text.endsWith('alone')), () => `it to be alone: ${said}`)
  }
})

test('a worker that leaves tells its last before, and does not wait for a primary that does not read', async (t) => {
  const { primary, address, listening, value } = startPrimary(t)
  await listening()
  primary.tellUrl(null)
  let count = 1
  const { worker, said } = startWorker(t, address, () => count)
  await eventually(() => said.includes('joined null'), 'it to join')
  await eventually(async () => await value('a_total', 1) === 1, 'its metrics')
  count = 2
  await worker.close()
  await eventually(() => primary.state.workers.answering === 0, 'it to be gone')
  assert.equal(await value('a_total', 1), 2)

  const deaf = addressOf({ tmpdir: path.dirname(path.dirname(address)), pid: 1 })
  /** @type {net.Socket[]} */
  const sockets = []
  const server = net.createServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    socket.pause().write(`${JSON.stringify({ t: 'welcome', v: VERSION, slot: 1 })}\n${JSON.stringify({ t: 'endpoint', url: null })}\n`)
  }).listen(deaf)
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  await once(server, 'listening')
  const other = startWorker(t, deaf, () => 1)
  await eventually(() => other.said.includes('joined null'), 'it to join')
  const startMs = nowMs()
  await other.worker.close()
  // The application's agent waits for a second in all.
  assert.ok(nowMs() - startMs < 900, `${nowMs() - startMs} ms`)
})

test('metrics that cannot be read are reported, and sent again when they can be read', async (t) => {
  const { primary, address, listening, value } = startPrimary(t)
  await listening()
  primary.tellUrl(null)
  let fails = true
  const { said } = startWorker(t, address, () => {
    if (fails) throw new Error('no metrics')
    return 3
  })
  await eventually(() => said.includes('state no metrics'), 'it to be said')
  assert.equal(said.filter((text) => text === 'state no metrics').length, 1)
  fails = false
  await eventually(async () => await value('a_total', 1) === 3, 'its metrics')
  assert.equal(said.at(-1), 'state null')
})
