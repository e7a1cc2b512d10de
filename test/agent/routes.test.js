'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { startNode } = require('../support/app')

test('frameworks imported from ES modules say their routes, loaded before the agent or after', async (t) => {
  for (const order of ['before', 'after']) {
    const { stdout, stderr } = await startNode(t, ['routes-esm.mjs', order]).closed
    assert.deepEqual(JSON.parse(stdout || 'null'), { koa: '/users/:id', hapi: '/users/{id}', fastify: '/users/:id', express: '/users/:id' }, `${order} ${stderr}`)
  }
})
