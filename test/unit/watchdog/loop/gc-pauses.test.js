'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { GC_KINDS } = require('../../../../lib/bridge/memory')
const { GcPauses } = require('../../../../lib/watchdog/loop/intervals')

test('a block has the pauses within it, and knows whether one of them was a collection of the whole heap', () => {
  const kind = (/** @type {string} */ name) => GC_KINDS.indexOf(name)
  const entries = [[100, 10, kind('minor')], [200, 50, kind('major')], [300, 5, kind('incremental')], [400, 1, -1]]
  const pauses = new GcPauses(/** @type {any} */ ({ drain: () => entries }))
  /** @type {string[]} */
  const counted = []
  const metrics = { observeGc: (/** @type {string} */ name) => counted.push(name) }
  pauses.drain(/** @type {any} */ (metrics), /** @type {any} */ ({ pause () {} }))
  assert.deepEqual(counted, ['minor', 'major', 'incremental', 'other'])
  assert.equal(pauses.within(105, 220), 25)
  assert.deepEqual([[0, 199], [100, 205], [249, 500], [250, 500]].map(([from, to]) => pauses.isMajorWithin(from, to)),
    [false, true, true, false])
})
