'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const os = require('node:os')
const path = require('node:path')
const { buildServer } = require('../../scenarios/goroutines/go')

const NOWHERE = path.join(os.tmpdir(), 'loopwatch-no-such-folder')

test('a tool that does not start is an error with that of the process', async () => {
  await assert.rejects(buildServer(NOWHERE), (/** @type {any} */ error) =>
    error.code === 'LOOPWATCH_ERR_TOOL_ENDED' && error.cause.code === 'ENOENT')
})
