'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const os = require('node:os')
const path = require('node:path')
const { Tool } = require('../../lib/cli/common/tool')
const { buildServer } = require('../../scenarios/goroutines/go')

const NOWHERE = path.join(os.tmpdir(), 'loopwatch-no-such-folder')
/** @param {any} error */
const isNotFound = (error) => error.code === 'LOOPWATCH_ERR_TOOL_ENDED' && error.cause.code === 'ENOENT'

test('a tool that does not start is an error with that of the process', async () => {
  const tool = new Tool('nothing', NOWHERE, [])
  await assert.rejects(tool.died, isNotFound)
  await assert.rejects(buildServer(NOWHERE), isNotFound)
})
