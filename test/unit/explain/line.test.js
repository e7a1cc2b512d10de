'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { lineOf, table } = require('../../../lib/explain/line')
const { makeRecord } = require('../../support/record')

/** @typedef {import('../../../lib/explain/line').Profiled} Profiled */
/** @typedef {import('../../../lib/types').FrameRecord} FrameRecord */

/** @param {number} line @param {boolean} [exact] @returns {FrameRecord} */
const at = (line, exact = true) => ({ function: 'load', file: '/srv/app/load.js', line, column: 3, exact })
/** @param {number} line @param {boolean} [exact] @returns {FrameRecord} */
const other = (line, exact = true) => ({ ...at(line, exact), function: 'check' })

/** A function that ran itself, of whose line nothing is known but where it begins. @type {Profiled} */
const plain = {
  blamed: at(10),
  timely: null,
  late: null,
  isHead: false,
  hasLine: false,
  call: null,
  isOpen: false,
  callee: null,
  allocates: null,
  sampled: null,
  isBuiltInto: false
}
const callee = { seen: null, found: null, near: null }

/**
 * Which row decides, on which line, and whether for certain.
 * @param {Partial<Profiled> | null} profiled
 * @param {object} [record]
 */
function decide (profiled, record = { frame: null, stacks: [], samples: 0 }) {
  const { row, frame } = lineOf({ record: makeRecord(record), profiled: profiled && { ...plain, ...profiled } })
  return [row + 1, frame?.line ?? null, frame?.exact ?? null]
}

const late = at(20, false)
const within = { count: 1, weightMs: 9, frames: [other(30), at(12)] }
const native = { ...makeRecord().evidence, nativeMs: 300 }
/** What a profile tells, the decision, and the record. */
/** @type {[Partial<Profiled> | null, (number | boolean | null)[], object?][]} */
const cases = [
  // 1
  [null, [1, 30, true], { frame: other(30), stacks: [], samples: 1 }],
  [null, [1, null, null]],
  // 2: stacks are surer of another function, in time
  [{}, [2, 30, true], { frame: other(30), stacks: [], samples: 2 }],
  [{}, [11, 10, false], { frame: other(30), stacks: [], samples: 1 }],
  [{}, [2, 30, true], { frame: other(30), samples: 1, stacks: [within] }],
  [{}, [11, 10, false], { frame: other(30, false), stacks: [], samples: 2 }],
  [{ hasLine: true }, [11, 10, true], { frame: other(30), stacks: [], samples: 2 }],
  // Native for most of its time, no answer was in time.
  [{}, [11, 10, false], { frame: other(30), stacks: [], samples: 2, durationMs: 310, evidence: native }],
  // 3
  [{ isBuiltInto: true, allocates: at(14) }, [3, 30, true], { frame: other(30), stacks: [], samples: 2 }],
  // 4
  [{ allocates: at(14), sampled: at(15), timely: late }, [4, 14, true]],
  // 5
  [{ sampled: at(15), timely: at(16), hasLine: true }, [5, 15, true]],
  // 6
  [{ timely: at(16), late: at(16), hasLine: true }, [6, 16, true]],
  [{ timely: at(16), callee: { ...callee, seen: late, found: at(18) } }, [6, 16, true]],
  // 7
  [{ late, callee: { ...callee, seen: late, found: at(18) } }, [7, 20, true]],
  // 8
  [{ late, callee: { ...callee, found: at(18), near: at(19) } }, [8, 18, true]],
  // 9
  [{ callee: { ...callee, near: at(19) } }, [9, 19, false]],
  [{ late: at(10, false), callee: { ...callee, near: at(19) } }, [9, 19, false]],
  [{ late, isHead: true, callee: { ...callee, near: at(19) } }, [9, 19, false]],
  // 10
  [{ late, callee: { ...callee, near: at(19) } }, [10, 20, false]],
  [{ late, callee }, [10, 20, false]],
  [{ late }, [10, 20, false]],
  [{ late, isHead: true }, [10, 20, false]],
  [{ late: at(20), isHead: true }, [10, 20, true]],
  // 11
  [{ late, hasLine: true }, [11, 10, true]],
  [{ late, isHead: true, callee }, [11, 10, false]],
  [{}, [11, 10, false]]
]

test('each row of the table of lines decides where those above it do not, and no further', () => {
  for (const [profiled, expected, record] of cases) {
    assert.deepEqual(decide(profiled, record), expected, JSON.stringify({ profiled, record }))
  }
  const decided = new Set(cases.map(([, [row]]) => row))
  assert.deepEqual([...decided].sort((a, b) => Number(a) - Number(b)), table.map((_, i) => i + 1))
})

test('the call is that of the profile, and none where stacks are surer', () => {
  const call = (/** @type {object} */ record) => lineOf({ record: makeRecord(record), profiled: { ...plain, call: 'JSON.parse' } }).call
  assert.equal(call({ frame: null, stacks: [], samples: 0 }), 'JSON.parse')
  assert.equal(call({ frame: other(30), stacks: [], samples: 2 }), null)
})
