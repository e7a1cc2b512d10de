'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')

test('requests are not followed where that could end the application (CVE-2025-59466)', () => {
  const { isContextSafe } = require('../../../lib/host/runtime')
  for (const [version, safe] of /** @type {[string, boolean][]} */ ([
    ['20.19.5', false], ['20.20.0', true], ['21.7.3', false], ['22.21.1', false], ['22.22.0', true], ['23.11.0', false], ['24.0.0', true], ['26.10.0', true]
  ])) assert.equal(isContextSafe(version), safe, version)
})
