'use strict'

// The load driver against real servers, and what the scenarios with servers decide on plain data.
const test = require('node:test')
const assert = require('node:assert/strict')
const { drive } = require('../../scenarios/load/drive')
const { findK6, runK6 } = require('../../scenarios/load/k6/k6')
const { listen } = require('../support/scenarios/server')

test('k6 and the built-in driver say the same of the same server', { skip: findK6() === null ? 'k6 is not on the PATH' : false }, async (t) => {
  // A delay that both must see, far above what either costs.
  const { url } = await listen(t, (_, response) => setTimeout(() => response.end('0123456789'), 40))
  const order = { url, users: 4, seconds: 2, headers: { host: 'localhost:3000', 'user-agent': 'lw' }, expect: { body: '0123456789' } }
  const [ours, theirs] = [await drive(order), await runK6(order)]
  assert.deepEqual([theirs.failed, ours.failed], [0, 0])
  for (const read of /** @type {((load: any) => number)[]} */ ([
    (load) => load.perSecond,
    (load) => load.durationMs.med,
    (load) => load.bytesReceived / load.requests
  ])) {
    assert.ok(Math.abs(read(ours) / read(theirs) - 1) < 0.1, `${read(ours)} and ${read(theirs)}`)
  }
})
