'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const messages = require('../../../lib/bridge/messages')

test('each message has a code of its own', () => {
  const codes = Object.values(messages)
  assert.equal(new Set(codes).size, codes.length)
})
