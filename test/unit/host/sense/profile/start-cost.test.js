'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { startCostMs, startCostNowMs } = require('../../../../../lib/host/sense/profile/profiler')

/**
 * Measured: version, what was loaded, MB of heap, KB of bytecode and of code, ms of CPU time of the start.
 * @type {[number, string, number, number, number, number][]}
 */
const measured = [
  [20, 'nothing', 3.4, 139, 1739, 13],
  [20, 'rows', 80.3, 105, 1748, 51],
  [20, 'rows', 712.7, 105, 1747, 394],
  [20, 'typescript', 22.2, 836, 1939, 31],
  [20, 'typescript on a program', 209.3, 1666, 9850, 203],
  [20, '50,000 functions', 41.1, 8733, 1747, 58],
  [20, 'packages at work', 77.7, 1690, 7302, 105],
  [22, 'nothing', 3.9, 536, 2021, 14],
  [22, 'rows', 79.9, 533, 2026, 59],
  [22, 'typescript', 22.8, 1553, 2322, 40],
  [22, 'packages at work', 82.2, 3268, 7982, 129],
  [24, 'nothing', 4.3, 608, 2175, 16],
  [24, 'rows', 88.6, 609, 2215, 61],
  [24, 'typescript', 23.8, 1633, 2514, 38],
  [24, '50,000 functions', 44.1, 9031, 2194, 75],
  [24, 'packages at work', 95.2, 3313, 9072, 150],
  [26, 'nothing', 4.4, 643, 2257, 15],
  [26, 'rows', 79.4, 643, 2274, 69],
  [26, 'rows', 244.2, 640, 2260, 188],
  [26, 'typescript', 14.9, 1673, 2591, 38],
  [26, '50,000 functions', 44.5, 9065, 2267, 86],
  [26, 'packages at work', 106.5, 3371, 10976, 183]
]

test('the cost of a start is estimated from heap and code, never too low, on every version', () => {
  for (const [version, name, heapMb, bytecodeKb, codeKb, tookMs] of measured) {
    const ms = startCostMs({ heap: heapMb * 2 ** 20, bytecode: bytecodeKb * 1024, code: codeKb * 1024 })
    assert.ok(ms >= tookMs && ms <= tookMs * 1.4 + 20, `${name} on ${version}: ${ms} for ${tookMs}`)
  }
})

test('this process has a cost', () => {
  assert.ok(startCostNowMs() > 10 && startCostNowMs() < 1000, `${startCostNowMs()}`)
})

test('a large array or string adds nothing to the cost: V8 does not walk what is in it', () => {
  const beforeMs = startCostNowMs()
  const held = new Array(1e7).fill('x')
  const addedMs = startCostNowMs() - beforeMs
  assert.ok(addedMs < 20, `${addedMs} ms for ${held.length} elements`)
})
