'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createFastifyPlugin } = require('../../lib/host/shedding/fastify-plugin')
const { createMiddleware } = require('../../lib/host/shedding/middleware')
const { fixed } = require('../support/lib/load')

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
  const { NoopAgent } = require('../../lib/host/noop-agent')
  const agent = new NoopAgent()
  let passed = 0
  agent.middleware({ maxDelay: 1, maxUtilization: 0 })({}, {}, () => { passed++ })
  assert.equal(passed, 1)
  const app = require('fastify')()
  app.register(agent.fastify, { maxDelay: 1, maxUtilization: 0 })
  app.get('/', async () => 'ok')
  assert.equal((await app.inject('/')).payload, 'ok')
})
