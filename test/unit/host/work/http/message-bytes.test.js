'use strict'

// runtime: node:http, node:http2 and the handles of their sockets
const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const http2 = require('node:http2')
const net = require('node:net')
const { createMemory, openBridge } = require('../../../../../lib/bridge/memory')
const { bytesOf } = require('../../../../../lib/host/work/http/message-bytes')
const { Requests } = require('../../../../../lib/host/work/http/requests')

const CHUNK = Buffer.alloc(100_000, 'a')
/** Most bytes of a head and of the marks of chunks. */
const AROUND = 1000

/**
 * A server in this process under the sensor of requests. `seen` has the sizes of each request at its end, before the
 * answer and after half of it.
 * @param {import('node:test').TestContext} t @param {(handle: (request: any, response: any) => void) => any} create
 */
async function startServer (t, create) {
  let requests = new Requests(openBridge(createMemory()), {})
  t.after(() => requests.stop())
  const restart = () => {
    requests.stop()
    requests = new Requests(openBridge(createMemory()), {})
  }
  /** @type {{ path: string, before: any, after: any }[]} */
  const seen = []
  const server = create((request, response) => {
    const { context } = requests.current()
    request.resume().on('end', () => {
      const before = bytesOf(context?.request ?? null)
      response.write(CHUNK)
      // A server of Node.js 26 collects what is written in a turn.
      setImmediate(() => {
        seen.push({ path: context?.path ?? '', before, after: bytesOf(context?.request ?? null) })
        response.end('ok')
      })
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = /** @type {net.AddressInfo} */ (server.address())
  return { port, seen, restart }
}

/** A client that has one connection. @param {import('node:test').TestContext} t @param {number} port */
function startClient (t, port) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  /** @param {Buffer[]} chunks @param {http.RequestOptions} [options] */
  return (chunks, options) => new Promise((resolve, reject) => {
    const request = http.request({ port, agent, method: 'POST', ...options }, (response) =>
      response.resume().on('end', resolve))
    request.on('error', reject)
    for (const chunk of chunks) request.write(chunk)
    request.end()
  })
}

/** @param {number | null} value @param {number} bytes */
function isAbout (value, bytes) {
  assert.ok(value !== null && value >= bytes && value < bytes + AROUND, `${value}, expected ${bytes} or a little more`)
}

test('requests on one connection each have the size of their own body and answer', async (t) => {
  const { port, seen } = await startServer(t, (handle) => http.createServer(handle))
  const post = startClient(t, port)
  await post([CHUNK], { headers: { 'content-length': CHUNK.length } })
  await post([CHUNK, CHUNK, CHUNK])
  await post([CHUNK])
  await post([], { method: 'GET' })
  assert.equal(seen[0].before.bytesIn, CHUNK.length, 'its content-length')
  isAbout(seen[1].before.bytesIn, 3 * CHUNK.length)
  isAbout(seen[2].before.bytesIn, CHUNK.length)
  assert.equal(seen[3].before.bytesIn, 0, 'no body')
  for (const { before, after } of seen) {
    assert.equal(before.bytesOut, 0)
    isAbout(after.bytesOut, CHUNK.length)
  }
})

test('an agent that starts later counts on open connections from their next answer on', async (t) => {
  const { port, seen, restart } = await startServer(t, (handle) => http.createServer(handle))
  const post = startClient(t, port)
  await post([CHUNK])
  restart()
  await post([CHUNK])
  await post([CHUNK, CHUNK])
  assert.equal(seen[1].before.bytesIn, null)
  isAbout(seen[1].after.bytesOut, CHUNK.length)
  isAbout(seen[2].before.bytesIn, 2 * CHUNK.length)
})

test('a content-length is all that is known while an HTTP/1 connection has several requests', async (t) => {
  const { port, seen } = await startServer(t, (handle) => http.createServer(handle))
  const socket = net.connect(port)
  t.after(() => socket.destroy())
  const chunked = 'POST /chunked HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'
  const long = 'POST /length HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc'
  socket.end(chunked + long)
  await once(socket.resume(), 'close')
  const [first, second] = ['/chunked', '/length'].map((each) => seen.find(({ path }) => path === each))
  assert.deepEqual(first?.before, { bytesIn: null, bytesOut: null })
  assert.deepEqual(second?.before.bytesIn, 3)
})

for (const [api, create] of /** @type {[string, (handle: any) => any][]} */ ([
  ['requests', (handle) => http2.createServer(handle)],
  ['streams', (handle) => http2.createServer().on('stream', (stream) => handle(stream, stream))]
])) {
  test(`HTTP/2 ${api} have the size of the body that arrived, and of the answer so far`, async (t) => {
    const { port, seen } = await startServer(t, create)
    const session = http2.connect(`http://127.0.0.1:${port}`)
    t.after(() => session.destroy())
    // Without a content-length, as gRPC sends them.
    for (const body of [CHUNK, Buffer.concat([CHUNK, CHUNK])]) {
      const stream = session.request({ ':method': 'POST', ':path': '/' })
      stream.end(body)
      await once(stream.resume(), 'close')
    }
    assert.deepEqual(seen.map(({ before }) => before), [1, 2].map((n) => ({ bytesIn: n * CHUNK.length, bytesOut: 0 })))
    for (const { after } of seen) assert.ok(after.bytesOut > 0 && after.bytesOut <= CHUNK.length, `${after.bytesOut}`)
  })
}

test('a socket with getters of the application is not read, and errors are caught', () => {
  const run = () => assert.fail('it ran')
  const rawHeaders = ['Transfer-Encoding', 'chunked']
  const socket = Object.defineProperty({}, Symbol('kHandle'), { get: run })
  const requests = [
    Object.defineProperty({ rawHeaders }, 'socket', { get: run }),
    { rawHeaders, socket },
    { rawHeaders, httpVersionMajor: 2, stream: {} },
    { rawHeaders: ['Content-Length', '-1'], socket },
    Object.defineProperty({}, 'rawHeaders', { get () { throw new Error('of the application') } }),
    null
  ]
  for (const request of requests) {
    assert.deepEqual(bytesOf(/** @type {any} */ (request)), { bytesIn: null, bytesOut: null })
  }
})
