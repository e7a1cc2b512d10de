'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { OpenWork } = require('../../../../lib/host/work/open-work')

test('open requests are listed newest first, whichever of them end, and work is not', () => {
  const open = new OpenWork()
  const all = Array.from({ length: 5 }, (_, id) => /** @type {any} */ ({ id, older: null, newer: null }))
  for (const each of all) open.add(each)
  const ids = (most = 10) => open.requests(most).map(({ id }) => id)
  assert.deepEqual(ids(), [4, 3, 2, 1, 0])
  assert.deepEqual(ids(2), [4, 3])
  /** @type {[number, number[]][]} */
  const steps = [[2, [4, 3, 1, 0]], [4, [3, 1, 0]], [0, [3, 1]], [3, [1]], [1, []]]
  for (const [ended, left] of steps) {
    open.remove(all[ended])
    assert.deepEqual(ids(), left)
    assert.deepEqual([all[ended].older, all[ended].newer], [null, null])
  }
  open.add(all[2])
  open.add(/** @type {any} */ ({ kind: 'job', older: null, newer: null }))
  assert.deepEqual(ids(), [2])
})
