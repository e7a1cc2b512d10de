'use strict'

// Takes half a minute: the examples whose blocks are in a job, a message, an operation or a span are started, and two
// that tell others of blocks, who are played here.
const { test } = require('node:test')
const assert = require('node:assert/strict')
const dgram = require('node:dgram')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { text } = require('node:stream/consumers')
const { startNode, eventually } = require('../support/app')
const { closings, makeProject, ROOT } = require('../support/example-project')
const { noRedis, startRedis } = require('../support/redis')
const { WebSocket } = require('ws')

/** A busy machine takes its time to load OpenTelemetry or Sentry. */
const SLOW_MS = 60_000

/** What only scenarios have installed. @param {string} cwd */
function linkScenarios (cwd) {
  const own = path.join(cwd, 'node_modules')
  fs.mkdirSync(own)
  for (const name of ['@opentelemetry', '@sentry']) {
    fs.symlinkSync(path.join(ROOT, 'scenarios', 'node_modules', name), path.join(own, name))
  }
}

/**
 * @typedef {import('node:test').TestContext} TestContext
 * @typedef {{ env?: Record<string, string>, ask?: (stdout: string) => unknown }} How
 */

test('the examples whose blocks are in no route, and those that tell others of blocks', async (t) => {
  const dir = await makeProject(t)

  /** Starts an example. @param {TestContext} t @param {string} name @param {Record<string, string>} [env] */
  function startExample (t, name, env = {}) {
    const cwd = path.join(dir, name)
    linkScenarios(cwd)
    return startNode(t, [path.join(cwd, 'app.js')], { cwd, env: { PORT: '0', LOOPWATCH_PORT: '0', ...env } }).out
  }

  /**
   * Starts one and asks it until its log has a block in its function, and tells the line.
   * @param {TestContext} t
   * @param {string} name
   * @param {string} fn
   * @param {How} [how]
   */
  async function blockOf (t, name, fn, { env, ask = () => {} } = {}) {
    const out = startExample(t, name, env)
    const line = await eventually(async () => {
      await ask(out.stdout)
      return closings(out.stdout).find(({ frame, work }) => frame?.function === fn && work)
    }, () => `a line that names ${fn}: ${out.stdout.slice(-3000)} ${out.stderr.slice(-3000)}`, SLOW_MS)
    assert.equal(path.basename(line.frame.file), 'app.js')
    return line
  }

  await t.test('the example of BullMQ names its job', { skip: noRedis }, async (t) => {
    const { work } = await blockOf(t, 'bullmq', 'renderInvoice', { env: { REDIS_PORT: await startRedis(t) } })
    assert.deepEqual([work.kind, work.name], ['job', 'invoices:render'])
  })

  await t.test('the example of node-cron names its task', async (t) => {
    const { work } = await blockOf(t, 'cron', 'findDuplicates')
    assert.deepEqual([work.kind, work.name], ['job', 'clean-up'])
  })

  await t.test('the example of a WebSocket names the path that it was opened at', async (t) => {
    /** @type {WebSocket | undefined} */
    let socket
    t.after(() => socket?.terminate())
    const ask = (/** @type {string} */ stdout) => {
      const [, number, url] = /^send (\d+) to (\S+)/m.exec(stdout) ?? []
      if (url === undefined || socket !== undefined) return
      socket = new WebSocket(url)
      const send = () => socket?.send(number)
      socket.on('open', send).on('message', send)
    }
    const { work } = await blockOf(t, 'websocket', 'isPrime', { ask })
    assert.deepEqual([work.kind, work.name], ['message', 'ws /rooms/:id'])
  })

  await t.test('the example of GraphQL names the operation and the request', async (t) => {
    const ask = async (/** @type {string} */ stdout) => {
      const [, url] = /^ask (\S+)/m.exec(stdout) ?? []
      if (url !== undefined) assert.match(await (await fetch(url)).text(), /"path":0/)
    }
    const { work, request } = await blockOf(t, 'graphql', 'shortestPath', { ask })
    assert.deepEqual([work.kind, work.name, request.route], ['operation', 'query Trip', '/graphql'])
  })

  await t.test('the example of OpenTelemetry names the span, with its ids', async (t) => {
    const { work } = await blockOf(t, 'opentelemetry', 'priceOrder')
    assert.deepEqual([work.kind, work.name, work.traceId.length, work.spanId.length], ['span', 'process order', 32, 16])
  })

  await t.test('the example of Sentry sends a block with its stack', async (t) => {
    /** Whole envelopes: two may be under way at once. @type {string[]} */
    const sent = []
    const sentry = http.createServer(async (request, response) => {
      sent.push(await text(request))
      response.end('{}')
    }).listen(0, '127.0.0.1')
    t.after(() => sentry.close())
    await once(sentry, 'listening')
    const { port } = /** @type {import('node:net').AddressInfo} */ (sentry.address())
    const out = startExample(t, 'sentry', { SENTRY_DSN: `http://key@127.0.0.1:${port}/1` })
    const events = () => sent.flatMap((envelope) => envelope.split('\n')).filter((line) => line.includes('EventLoopBlocked')).map((line) => JSON.parse(line))
    // It blocks each second: where the machine is busy, one of these blocks may be charged to something else.
    const isOurs = (/** @type {any} */ event) => event.exception?.values[0].value.includes('in buildFeed (') && event.tags.cause === 'js'
    const event = await eventually(() => events().find(isOurs), () => `an event: ${sent.join('\n').slice(-3000)} ${out.stderr} ${out.stdout.slice(-2000)}`, SLOW_MS)
    const { frames } = event.exception.values[0].stacktrace
    assert.equal(frames.at(-1).function, 'buildFeed')
  })

  await t.test('the example of Datadog sends a block to the port of DogStatsD', async (t) => {
    const agent = dgram.createSocket('udp4')
    agent.bind(0, '127.0.0.1')
    await once(agent, 'listening')
    t.after(() => agent.close())
    let said = ''
    agent.on('message', (data) => { said += `${data}\n` })
    startExample(t, 'datadog', { DD_AGENT_HOST: '127.0.0.1', DD_DOGSTATSD_PORT: `${agent.address().port}` })
    const line = await eventually(() => said.split('\n').find((each) => each.includes('buildFeed')), () => said, SLOW_MS)
    const [, titleBytes, textBytes, rest] = /^_e\{(\d+),(\d+)\}:(.*)$/.exec(line) ?? assert.fail(line)
    const [title, text, type, tags] = rest.split('|')
    assert.deepEqual([Buffer.byteLength(title), Buffer.byteLength(text), type], [Number(titleBytes), Number(textBytes), 't:warning'])
    assert.match(title, /^event loop blocked: (?:≈ )?buildFeed \(.*app\.js:\d+\)$/)
    assert.match(tags, /^#service:datadog-example,cause:\w+,work:none$/)
  })
})
