'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Counters } = require('../../../lib/bridge/counters')
const { createFastifyPlugin } = require('../../../lib/host/fastify-plugin')
const { Load } = require('../../../lib/host/load')
const { createMiddleware } = require('../../../lib/host/middleware')

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
  const { PassiveAgent } = require('../../../lib/host/passive-agent')
  const agent = new PassiveAgent()
  let passed = 0
  agent.middleware({ maxDelay: 1, maxUtilization: 0 })({}, {}, () => { passed++ })
  assert.equal(passed, 1)
  const app = require('fastify')()
  app.register(agent.fastify, { maxDelay: 1, maxUtilization: 0 })
  app.get('/', async () => 'ok')
  assert.equal((await app.inject('/')).payload, 'ok')
})
