'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Activity } = require('../../../lib/util/activity')

test('a thread works if it was active for more than a tenth of the time, counted over 200 ms at least', () => {
  const activity = new Activity()
  /** @type {[number, number, boolean | null][]} at, active so far, whether it worked */
  const counts = [[0, 0, true], [199, 199, null], [400, 200, true], [600, 220, false], [799, 419, null]]
  for (const [atMs, activeMs, isWork] of counts) assert.equal(activity.count(atMs, activeMs), isWork, `${atMs} ms`)
})

test('it is counted over as long as is asked for, and from when it begins anew', () => {
  const activity = new Activity(1000)
  activity.begin(500, 300)
  assert.equal(activity.count(1400, 1200), null)
  activity.begin(1400, 1200)
  assert.equal(activity.count(2400, 1300), false)
})
