'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { addressOf } = require('../../../lib/cli/common/endpoint')
const { makePaths } = require('../../../lib/export/http/paths')

test('any url of the endpoint that is copied from a browser leads to the endpoint, below a path of a proxy too', () => {
  for (const path of Object.keys(makePaths(/** @type {any} */ ({})))) {
    const copied = path.replace(':id', '4242-1')
    assert.equal(addressOf(`http://127.0.0.1:9999${copied}`).href, 'http://127.0.0.1:9999/')
    assert.equal(addressOf(`http://proxy/loop${copied}`).href, 'http://proxy/loop/')
  }
  assert.equal(addressOf('http://proxy/loop').href, 'http://proxy/loop/')
})
