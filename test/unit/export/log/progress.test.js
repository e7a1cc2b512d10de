'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Progress } = require('../../../../lib/export/log/budget')

/**
 * Seconds after which a block has a line that is reported each second.
 * @param {boolean} startup
 * @param {number} seconds
 */
function lines (startup, seconds) {
  const progress = new Progress()
  const found = []
  for (let second = 1; second <= seconds; second++) {
    // Reports come a little late, and drift.
    if (progress.isDue({ id: '1-1', durationMs: second * 1010 + 51, startup })) found.push(second)
  }
  return found
}

test('a long block has a line after 1, 5, 15 and 60 s, and then one per minute', () => {
  assert.deepEqual(lines(false, 200), [1, 5, 15, 60, 119, 179])
})

test('a start has none before it takes unusually long', () => {
  assert.deepEqual(lines(true, 20), [5, 15])
})

test('a report that comes late is not followed by those it missed, and each block counts for itself', () => {
  const progress = new Progress()
  const isDue = (/** @type {string} */ id, /** @type {number} */ seconds) =>
    progress.isDue({ id, durationMs: seconds * 1000, startup: false })
  assert.deepEqual([isDue('a', 20), isDue('a', 21), isDue('a', 61)], [true, false, true])
  assert.equal(isDue('b', 1), true)
  progress.ended('b')
  assert.equal(isDue('b', 1), true, 'an id that comes again stands for another block')
})
