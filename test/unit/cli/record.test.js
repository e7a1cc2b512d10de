'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const path = require('node:path')
const { record } = require('../../../lib/cli/record/record')
const { makeDir } = require('../../support/files')

test('record says of another server what doctor says', async (t) => {
  const server = http.createServer((request, response) => response.end('<html>')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  await assert.rejects(record(`127.0.0.1:${port}`, path.join(makeDir(t), 'file'), {}), {
    code: 'LOOPWATCH_ERR_SOURCE', message: /: this is not the endpoint of a loopwatch agent: /
  })
})
