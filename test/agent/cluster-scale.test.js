'use strict'

// What a primary holds and says of many workers.
const test = require('node:test')
const assert = require('node:assert/strict')
const { startNode } = require('../support/app')

test('a primary has room for 16 workers of 50 routes that were all replaced', async (t) => {
  const { stdout, stderr, code } = await startNode(t, ['--expose-gc', '--max-old-space-size=128', 'large-primary.js']).closed
  assert.equal(code, 0, stderr)
  const { series, heapMb, scrapeMs, turns, sum } = JSON.parse(stdout)
  assert.ok(series > 4000)
  assert.equal(sum, 2 * 50 * 4, 'the dead and the living')
  assert.ok(heapMb < 80, `${heapMb} MB`)
  assert.ok(scrapeMs < 10_000, `${scrapeMs} ms`)
  assert.ok(turns > 1, 'the watchdog looks while it renders')
})
