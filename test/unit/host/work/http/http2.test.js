'use strict'

// runtime: node:http2 and its diagnostics channels
const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const http2 = require('node:http2')
const { withRequests } = require('../../../../support/requests')

/** Node.js has a channel for the streams of HTTP/2 servers. */
const tellsStreams = Number(process.versions.node.split('.')[0]) >= 22

/**
 * An HTTP/2 server in this process, and sessions with it.
 * @param {import('node:test').TestContext} t
 * @param {((request: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => void) | null} handle
 * @param {(stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void} [onStream] without the
 * compatibility API
 */
async function startHttp2 (t, handle, onStream = () => {}) {
  const server = handle === null ? http2.createServer().on('stream', onStream) : http2.createServer(handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const connect = () => {
    const session = http2.connect(`http://127.0.0.1:${port}`)
    t.after(() => session.destroy())
    const ask = (/** @type {string} */ path) => new Promise((resolve) => session.request({ ':path': path }).on('error', resolve).resume().on('close', resolve))
    return { session, ask }
  }
  return { server, connect }
}

test('an HTTP/2 request that one server hands to another is one request', async (t) => {
  const back = await startHttp2(t, (request, response) => response.end('ok'))
  const front = await startHttp2(t, (request, response) => back.server.emit('request', request, response))
  const { statuses, inFlight } = await withRequests(async () => {
    const [first, second] = [back, front].map(({ connect }) => connect())
    await first.ask('/direct')
    await second.ask('/handed-on')
    await second.ask('/handed-on')
  })
  assert.deepEqual(statuses, [200, 200, 200])
  assert.equal(inFlight, 0)
})

test('an HTTP/2 answer by way of the stream has the status that was sent; one cut short is aborted', async (t) => {
  /** @type {Record<string, (stream: import('node:http2').ServerHttp2Stream) => void>} */
  const answers = {
    '/file': (stream) => stream.respondWithFile(__filename, { ':status': 206 }),
    '/missing': (stream) => stream.respondWithFile(`${__filename}.none`, {}, {
      onError: () => {
        stream.respond({ ':status': 404 })
        stream.end()
      }
    }),
    '/raw': (stream) => {
      stream.respond({ ':status': 201 })
      stream.end('raw')
    },
    '/empty': (stream) => stream.respond({ ':status': 304 }),
    '/body': (stream) => {
      stream.respond({ ':status': 200 })
      stream.end(Buffer.alloc(3e6))
    },
    '/file-body': (stream) => stream.respondWithFile(process.execPath),
    '/destroyed': (stream) => {
      stream.respond({ ':status': 200 })
      stream.write('x')
      stream.destroy()
    }
  }
  const { connect } = await startHttp2(t, ({ url }, { stream }) => answers[url](stream))
  const { statuses } = await withRequests(async () => {
    const { session, ask } = connect()
    for (const path of ['/file', '/missing', '/raw', '/empty', '/body', '/destroyed']) await ask(path)
    for (const path of ['/body', '/file-body']) {
      const request = session.request({ ':path': path })
      request.on('error', () => {})
      await once(request, 'data')
      request.pause()
      request.close(http2.constants.NGHTTP2_CANCEL)
      await once(request, 'close')
    }
  })
  assert.deepEqual(statuses, [206, 404, 201, 304, 200, 0, 0, 0])
})

test('an agent that is started anew counts on HTTP/2 sessions that were open meanwhile, and removes its listeners', async (t) => {
  const { server, connect } = await startHttp2(t, (request, response) => response.end('ok'))
  const { session, ask } = connect()
  const listeners = server.listenerCount('request')
  const first = await withRequests(async () => {
    // The connection as such was made under it.
    await ask('/')
    assert.equal(server.listenerCount('request'), listeners + 1)
  })
  assert.equal(server.listenerCount('request'), listeners)
  await ask('/unseen')
  const second = await withRequests(async () => {
    await ask('/')
    await ask('/')
  })
  assert.equal(session.closed, false)
  assert.deepEqual([first.statuses, second.statuses, second.inFlight], [[200], [200, 200], 0])
  assert.equal(server.listenerCount('request'), listeners)
})

test('HTTP/2 sessions older than the first agent are counted where Node.js tells of streams, elsewhere from the next connection on', async (t) => {
  const { connect } = await startHttp2(t, (request, response) => response.end('ok'))
  const { ask } = connect()
  await ask('/before')
  const { statuses } = await withRequests(async () => {
    await ask('/')
    await connect().ask('/')
    await ask('/')
  })
  assert.deepEqual(statuses, tellsStreams ? [200, 200, 200] : [200, 200])
})

test('streams of a server without the compatibility API are requests, until it has that', async (t) => {
  /** @type {Record<string, (stream: http2.ServerHttp2Stream) => void>} */
  const answers = {
    '/ok': (stream) => {
      stream.respond({ ':status': 200 })
      stream.end('ok')
    },
    '/missing': (stream) => stream.respond({ ':status': 404 }, { endStream: true }),
    '/destroyed': (stream) => stream.destroy()
  }
  const { server, connect } = await startHttp2(t, null, (stream, headers) => answers[`${headers[':path']}`]?.(stream))
  const { statuses, inFlight } = await withRequests(async () => {
    const { ask } = connect()
    for (const path of ['/ok', '/missing', '/destroyed']) await ask(path)
    assert.equal(server.listenerCount('stream'), 2)
    server.on('request', (request, response) => response.writeHead(201).end())
    await ask('/now-by-request')
    await ask('/now-by-request')
  })
  assert.deepEqual([statuses, inFlight], [[200, 404, 0, 201, 201], 0])
  assert.deepEqual([server.listenerCount('stream'), server.listenerCount('request')], [2, 1], 'its own, and that of the compatibility API')
})
