'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Counters } = require('../lib/bridge/counters')
const { createFastifyPlugin } = require('../lib/host/fastify-plugin')
const { Load } = require('../lib/host/load')
const { createMiddleware } = require('../lib/host/middleware')
const { eventually, startNode } = require('./support/app')
const { parseExposition, valueOf } = require('./support/exposition')

const CLIENTS = 10
const LOAD_MS = 2500

/** @param {import('node:test').TestContext} t @param {string} framework @param {object} options */
async function startShedding (t, framework, options) {
  const app = startNode(t, ['shedding.js', framework, JSON.stringify(options)])
  const { port, url } = await eventually(() => /^\{.*\}$/m.test(app.out.stderr) && JSON.parse(app.out.stderr), () => app.out.stderr)
  const get = (/** @type {string} */ path) => fetch(`http://127.0.0.1:${port}${path}`)
  return {
    get,
    /** Requests of 20 ms of work each from ten clients at once, for a while. */
    load: async () => {
      /** @type {{ status: number, retryAfter: string | null, application: string | null, body: string }[]} */
      const responses = []
      const end = performance.now() + LOAD_MS
      await Promise.all(Array.from({ length: CLIENTS }, async () => {
        while (performance.now() < end) {
          const response = await get('/work?ms=20')
          responses.push({ status: response.status, retryAfter: response.headers.get('retry-after'), application: response.headers.get('x-application'), body: await response.text() })
        }
      }))
      return responses
    },
    shed: async () => {
      const { samples } = parseExposition(await (await fetch(`${url}/metrics`)).text())
      return Object.fromEntries(['delay', 'utilization'].map((reason) => [reason, valueOf(samples, 'loopwatch_requests_shed_total', { reason })]))
    }
  }
}

for (const [framework, limit, reason] of [['express', { maxDelay: 50 }, 'delay'], ['express-4', { maxUtilization: 0.9 }, 'utilization'], ['fastify', { maxDelay: 50 }, 'delay'], ['fastify', { maxUtilization: 0.9 }, 'utilization']]) {
  test(`${framework} above a limit of ${reason} answers 503 with Retry-After, and 200 again once the load is over`, async (t) => {
    const app = await startShedding(t, /** @type {string} */ (framework), { ...(limit), retryAfter: 7, exempt: true })
    const before = await (await app.get('/')).json()
    assert.equal(before.handled, 1, 'nothing is shed before there is any load')
    const responses = await app.load()
    const shed = responses.filter(({ status }) => status === 503)
    const served = responses.filter(({ status }) => status === 200)
    assert.ok(shed.length > 0 && served.length > 0, `${shed.length} shed, ${served.length} served`)
    assert.equal(shed.length + served.length, responses.length)
    for (const { retryAfter, body, application } of shed) assert.deepEqual({ retryAfter, body, application }, { retryAfter: '7', body: 'Service Unavailable\n', application: null })

    await app.get('/exempt?no')
    const again = await eventually(async () => {
      const response = await app.get('/')
      return response.status === 200 ? response.json() : response.text().then(() => { shed.length++ })
    }, 'to be served again')
    assert.ok(again.handled <= served.length + 3, 'a shed request reached the application')
    assert.deepEqual(Object.keys(await app.shed()).sort(), ['delay', 'utilization'])
    const counted = await app.shed()
    assert.ok(counted[/** @type {string} */ (reason)] >= shed.length && counted[/** @type {string} */ (reason)] <= shed.length + 1, JSON.stringify([counted, shed.length]))
  })
}

test('right after one long block the next request is shed, and exempt ones are served', async (t) => {
  const app = await startShedding(t, 'express', { maxDelay: 200, exempt: true })
  await (await app.get('/')).json()
  const [, ...next] = await Promise.all(['/work?ms=1500', '/', '/exempt'].map((path, i) =>
    new Promise((resolve) => setTimeout(resolve, i * 100)).then(() => app.get(path)).then(({ status }) => status)))
  assert.deepEqual(next, [503, 200])
  assert.deepEqual(await app.shed(), { delay: 1, utilization: 0 })
})

/** A load that says what it is told. @param {number} delayMs @param {number} utilization */
function fixed (delayMs, utilization) {
  const load = new Load()
  load.delayMs = () => delayMs
  load.utilization = () => utilization
  return { load, counters: new Counters(new SharedArrayBuffer(Counters.BYTES), 0) }
}

/** @param {ReturnType<typeof fixed>} gauge @param {object} options @param {boolean} [headersSent] */
function ask (gauge, options, headersSent = false) {
  /** @type {Record<string, unknown>} */
  const response = { headersSent, setHeader: () => {}, end: () => {} }
  let passed = false
  createMiddleware(gauge, options)({}, response, () => { passed = true })
  assert.notEqual(passed, response.statusCode === 503)
  return passed ? 'passed' : 'shed'
}

test('a limit counts from above it, each by itself', () => {
  assert.equal(ask(fixed(100, 0.5), {}), 'passed')
  assert.equal(ask(fixed(1e9, 1), {}), 'passed')
  assert.equal(ask(fixed(100, 1), { maxDelay: 100, maxUtilization: 1 }), 'passed')
  assert.equal(ask(fixed(101, 0), { maxDelay: 100, maxUtilization: 1 }), 'shed')
  assert.equal(ask(fixed(0, 0.1), { maxUtilization: 0 }), 'shed')
  assert.equal(ask(fixed(101, 0), { maxDelay: 100 }, true), 'passed')
  assert.equal(ask(fixed(101, 0), { maxDelay: 100, exempt: () => { throw new Error('mine') } }), 'passed')
})

test('a wrong option throws a coded error when the middleware is made or the plugin registered', async () => {
  const gauge = fixed(0, 0)
  for (const [options, code, message] of /** @type {[any, string, RegExp][]} */ ([
    [{ maxDelay: 0 }, 'LOOPWATCH_ERR_OPTION', /"maxDelay" of .* takes a number of milliseconds from 1 to 60000, got 0/],
    [{ maxUtilization: 90 }, 'LOOPWATCH_ERR_OPTION', /"maxUtilization" of .* takes a number from 0 to 1, got 90/],
    [{ retryAfter: 1.5 }, 'LOOPWATCH_ERR_OPTION', /"retryAfter" of .* takes a whole number/],
    [{ exempt: ['/health'] }, 'LOOPWATCH_ERR_OPTION', /"exempt" of .* takes a function, got an array/],
    [{ maxdelay: 10 }, 'LOOPWATCH_ERR_OPTION_UNKNOWN', /did you mean "maxDelay"/],
    [200, 'LOOPWATCH_ERR_OPTION', /takes an object of options, got 200/]
  ])) {
    assert.throws(() => createMiddleware(gauge, options), { code, message })
    if (typeof options !== 'object') continue
    const app = require('fastify')()
    app.register(createFastifyPlugin(gauge), options)
    await assert.rejects(async () => { await app.ready() }, { code, message })
  }
})

test('in a worker thread of the application middleware and plugin pass everything on', async () => {
  const { PassiveAgent } = require('../lib/host/passive-agent')
  const agent = new PassiveAgent()
  let passed = 0
  agent.middleware({ maxDelay: 1, maxUtilization: 0 })({}, {}, () => { passed++ })
  assert.equal(passed, 1)
  const app = require('fastify')()
  app.register(agent.fastify, { maxDelay: 1, maxUtilization: 0 })
  app.get('/', async () => 'ok')
  assert.equal((await app.inject('/')).payload, 'ok')
})
