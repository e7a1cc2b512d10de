'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')

const OTHERS = path.join(__dirname, '..', 'others.js')

test('a mistyped package of test:others is an error that lists the packages there are, before anything is fetched', async (t) => {
  for (const args of [['fastfy'], ['fastify', 'fastfy:hooks']]) {
    const dir = makeDir(t)
    const { code, stdout, stderr } = await startNode(t, [OTHERS, ...args], { env: { TMPDIR: dir, PATH: dir } }).closed
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' })
    assert.equal(stderr, 'no tests of "fastfy" here, did you mean "fastify"? There are fastify, avvio, light-my-request, find-my-way, thread-stream\n')
  }
})
