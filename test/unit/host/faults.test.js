'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createMemory } = require('../../../lib/bridge/memory')
const { WatchdogThread } = require('../../../lib/host/watchdog-thread')
const { resolveOptions } = require('../../../lib/options/table')

test('a question that the watchdog cannot answer gets the fallback and ends nothing', async (t) => {
  /** @type {Error[]} */
  const lost = []
  // No labels at all, which start() lets nobody ask for, make metrics that cannot be written.
  const options = { ...resolveOptions({ port: false, log: false }), route: undefined, labels: null }
  const made = { memory: createMemory(), options, inspectorRefusal: 'a test', namesRequests: false, escalates: false, role: { kind: 'single' }, threads: [] }
  const thread = new WatchdogThread(
    () => made,
    /** @type {any} */ ({
      hold: (/** @type {() => unknown} */ step) => step(),
      onListening: () => {},
      onMessage: {},
      onLost: (/** @type {Error} */ error) => lost.push(error)
    })
  )
  t.after(() => thread.stop())
  assert.equal(await thread.call('metrics', 'fallback'), 'fallback')
  assert.ok(Array.isArray(await thread.call('blocks', null)))
  assert.deepEqual(lost, [])
})
