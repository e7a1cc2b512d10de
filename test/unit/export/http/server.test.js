'use strict'

// What comes over the network from people who do not wish us well.
const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const net = require('node:net')
const { HttpServer, json } = require('../../../../lib/export/http/server')
const { eventually } = require('../../../support/app')
const { connect, raw, statusesOf } = require('../../../support/raw')
const HOST = 'Host: localhost\r\n'

/**
 * @param {import('node:test').TestContext} t
 * @param {Record<string, import('../../../../lib/export/http/server').Handler>} paths
 * @param {{ requestMs?: number, unreadMs?: number }} [limits]
 */
async function serve (t, paths, limits) {
  const url = await new Promise((resolve, reject) => {
    const server = new HttpServer({
      options: { host: '127.0.0.1', port: 0, allowHosts: [] }, paths, ...limits, onState: (url, error) => error ? reject(error) : resolve(url)
    })
    t.after(() => server.close())
  })
  return /** @type {string} */ (url)
}

test('an answer that fails half way ends its connection and nothing else', async (t) => {
  const fail = () => { throw new Error('no stream') }
  const url = await serve(t, {
    '/': () => json({}),
    '/late': () => ({ status: 200, body: '', stream: fail }),
    '/head': () => ({ status: 200, body: '', headers: { 'x-name': 'a\nb' } }),
    '/early': fail
  })
  for (const path of ['/late', '/head']) await assert.rejects(fetch(`${url}${path}`), path)
  assert.equal((await fetch(`${url}/early`)).status, 500)
  assert.equal((await fetch(url)).status, 200)
})

test('of requests in one piece the first is answered, the others are not even looked up', async (t) => {
  let asked = 0
  const url = await serve(t, { '/blocks': async () => { asked++; return json('x'.repeat(100000)) } })
  const answer = await raw(url, `GET /blocks HTTP/1.1\r\n${HOST}\r\n`.repeat(2000))
  assert.deepEqual(statusesOf(answer), [200, 503])
  assert.equal(asked, 1)
})

test('one request after the other on a connection are all answered', async (t) => {
  const url = await serve(t, { '/blocks': async () => json('x'.repeat(1e6)) })
  const socket = await connect(t, url)
  for (let i = 0; i < 20; i++) {
    socket.write(`GET /blocks HTTP/1.1\r\n${HOST}\r\n`)
    let length = 0
    let head = ''
    while (length < 1e6) {
      const [data] = await once(socket, 'data')
      head ||= data.toString('latin1', 0, 12)
      length += data.length
    }
    assert.equal(head, 'HTTP/1.1 200')
  }
})

test('clients that send a byte now and then, or do not read, lose their connection, and hold up nobody', async (t) => {
  // More than the buffers of the system take.
  const body = 'x'.repeat(20e6)
  let begun = 0
  let unread = 0
  const url = await serve(t, {
    '/healthz': () => json('ok'),
    '/profile': () => ({
      status: 200,
      body: '',
      stream: (response) => {
        begun++
        unread++
        response.once('close', () => unread--).end(body)
      }
    })
  }, { requestMs: 500, unreadMs: 500 })
  const dripping = new Map()
  await Promise.all([...Array.from({ length: 40 }, () => ['X: ', 'a']), ...Array.from({ length: 20 }, () => ['Transfer-Encoding: chunked\r\n\r\n', '1\r\na\r\n'])].map(async ([begin, drip]) => {
    const socket = await connect(t, url, `GET /healthz HTTP/1.1\r\n${HOST}${begin}`)
    dripping.set(socket.resume(), drip)
    socket.once('close', () => dripping.delete(socket))
  }))
  // The first may be gone before the last has begun, and a starved server closes a connection that it has not read yet.
  for (let before = 0; before < 5; before = begun) {
    const socket = (await connect(t, url, `GET /profile HTTP/1.1\r\n${HOST}\r\n`)).pause()
    await eventually(() => begun !== before || socket.destroyed || socket.readableLength > 0, () => `an answer: ${begun}`)
  }
  await eventually(async () => {
    for (const [socket, drip] of dripping) if (socket.writable) socket.write(drip)
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
    return dripping.size === 0 && unread === 0
  }, () => `${dripping.size} who drip and ${unread} who do not read to be gone`)
})

test('a crowd that comes and goes pushes out only those that wait', async (t) => {
  const url = await serve(t, { '/healthz': () => json('ok') })
  const crowd = setInterval(() => {
    for (let i = 0; i < 20; i++) net.connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {}).setTimeout(200).on('timeout', /** @this {net.Socket} */ function () { this.destroy() })
  }, 10)
  t.after(() => clearInterval(crowd))
  let answered = 0
  await eventually(async () => {
    // On a connection of its own: one that is kept waits between two requests, and may have to make room.
    const [response] = await once(http.get(`${url}/healthz`, { agent: false }), 'response')
    response.resume()
    assert.equal(response.statusCode, 200)
    return ++answered === 50
  }, () => `50 answers, there were ${answered}`)
})

test('a crowd of connections that ask for nothing does not cut off an answer in progress', async (t) => {
  /** @type {(value?: unknown) => void} */
  let finish = () => {}
  const url = await serve(t, {
    '/slow': async () => {
      await new Promise((resolve) => { finish = resolve })
      return json('done')
    }
  })
  const answer = fetch(`${url}/slow`).then((response) => response.json())
  answer.catch(() => {})
  /** @type {net.Socket[]} */
  const crowd = []
  for (let i = 0; i < 150; i++) crowd.push(await connect(t, url))
  await eventually(() => crowd.filter((socket) => socket.closed || socket.destroyed).length >= 40, 'some of the crowd to be turned away')
  finish()
  assert.equal(await answer, 'done')
})
