'use strict'

// Whoever may ask may ask for much: the thread that watches must not run out of memory over it.
const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const net = require('node:net')
const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { RESOURCE_LIMITS } = require('../../lib/host/watchdog-thread')
const { eventually, FIXTURES } = require('../support/app')
const { statusesOf } = require('../support/raw')

const HEAD_BYTES = 8 * 1024
const MB = 1024 * 1024
const CROWD = 60
/**
 * Several times what is let wait, and what one answer takes to be made; without a bound a crowd takes all that the
 * thread may have, and more outside of its heap.
 */
const MOST_MB = 200

/** @param {import('node:test').TestContext} t */
async function startEndpoint (t) {
  const worker = new Worker(path.join(FIXTURES, 'deep-blocks.js'), { resourceLimits: RESOURCE_LIMITS })
  /** @type {Error[]} */
  const errors = []
  worker.on('error', (error) => errors.push(error))
  t.after(() => worker.terminate())
  const [url] = await once(worker, 'message')
  return { url, errors }
}

/** Asks and does not read: what has come of the head. @param {string} url @param {string} path */
function ask (url, path) {
  const socket = net.connect(Number(new URL(url).port), '127.0.0.1')
  const asked = { status: 0, head: '', socket }
  socket.on('error', () => {})
  socket.once('data', (data) => {
    socket.pause()
    asked.head = data.toString('latin1').split('\r\n\r\n')[0]
    asked.status = statusesOf(asked.head)[0]
  })
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  return asked
}

test('a label that is asked for again and again is refused, and costs nothing', async (t) => {
  const { url, errors } = await startEndpoint(t)
  const start = '/profile?format=folded&group='
  const group = Array(Math.floor((HEAD_BYTES - start.length - 400) / 'route,'.length)).fill('route').join(',')
  for (let i = 0; i < 5; i++) {
    const response = await fetch(`${url}${start}${group}`)
    assert.equal(response.status, 400)
    const { error } = /** @type {any} */ (await response.json())
    assert.match(error, /^group takes any of route, cause, thread, worker, each once/)
  }
  const response = await fetch(`${url}${start}route,cause,thread,worker`)
  assert.equal(response.status, 200)
  assert.match(await response.text(), /^route: GET \/report\/\d+\/:id;cause: (?:js|starved);thread: main;worker: \(none\);handleStep/m)
  assert.deepEqual(errors, [])
})

test('a crowd that wants profiles, flame graphs or all blocks at once, and reads nothing of it, takes little memory', async (t) => {
  const { url, errors } = await startEndpoint(t)
  for (const path of ['/profile', '/profile?format=speedscope&group=route,cause,thread,worker', '/flame', '/blocks']) {
    await (await fetch(url + path)).arrayBuffer()
    const startMs = performance.now()
    const before = process.memoryUsage.rss()
    const all = Array.from({ length: CROWD }, () => ask(url, path))
    let most = 0
    await eventually(() => {
      most = Math.max(most, process.memoryUsage.rss())
      return errors.length > 0 || all.every(({ status }) => status !== 0)
    }, () => `${CROWD} answers to ${path}, there are ${all.filter(({ status }) => status !== 0).length}`, 60000)
    assert.deepEqual(errors, [], path)
    assert.ok(all.some(({ status }) => status === 200), path)
    // 408 is Node.js's own, on a machine that is so busy that the endpoint reads a request too late.
    for (const { status, head } of all) assert.ok(status === 200 || status === 408 || (status === 503 && /^retry-after: \d+$/im.test(head)), `${path}: ${head}`)
    assert.ok(most - before < MOST_MB * MB, `${path}: ${Math.round((most - before) / MB)} MB`)
    t.diagnostic(`${path}: ${all.filter(({ status }) => status === 200).length} answered, ${Math.round((most - before) / MB)} MB, ${Math.round(performance.now() - startMs)} ms`)
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
    for (const { socket } of all) socket.destroy()
  }
})

test('who leaves before the answer is made takes no room from others', async (t) => {
  const { url, errors } = await startEndpoint(t)
  const all = Array.from({ length: 15 }, () => ask(url, '/profile').socket)
  await Promise.all(all.map((socket) => once(socket, 'connect')))
  for (const socket of all) socket.destroy()
  // One after the other: this one's turn comes when theirs are over.
  await (await fetch(`${url}/flame`)).arrayBuffer()
  assert.equal((await fetch(`${url}/profile`)).status, 200)
  assert.deepEqual(errors, [])
})
