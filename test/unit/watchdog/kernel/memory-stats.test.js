'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { MemoryStats, majorFaultsIn, stallIn } = require('../../../../lib/watchdog/kernel/memory-stats')

test('major faults are the tenth field after the name, whatever that is', () => {
  assert.equal(majorFaultsIn('12 (a) b (c) S 1 2 3 4 5 6 700 800 9 1000 11 12'), 9)
  assert.equal(majorFaultsIn(null), null)
})

test('pressure is the time in which some have waited', () => {
  const text = 'some avg10=0.00 avg60=0.12 avg300=0.00 total=123456\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=99\n'
  assert.equal(stallIn(text), 123.456)
  assert.equal(stallIn(null), null)
})

test('a reading of this process has what the system tells, and null for the rest', () => {
  const stats = new MemoryStats()
  const reading = stats.read()
  stats.close()
  assert.ok(Number(reading.rssBytes) > 1e6)
  for (const value of Object.values(reading)) assert.ok(value === null || value >= 0, JSON.stringify(reading))
  // A new reading opens the files again.
  assert.ok(Number(stats.read().rssBytes) > 1e6)
  stats.close()
})
