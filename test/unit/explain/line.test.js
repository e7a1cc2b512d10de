'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { judged, lineOf, table } = require('../../../lib/explain/line')
const { makeRecord } = require('../../support/record')

/** @typedef {import('../../../lib/explain/line').Profiled} Profiled */
/** @typedef {import('../../../lib/types').FrameRecord} FrameRecord */

/** @param {number} line @param {boolean} [exact] @returns {FrameRecord} */
const at = (line, exact = true) => ({ function: 'load', file: '/srv/app/load.js', line, column: 3, exact })
/** @param {number} line @param {boolean} [exact] @returns {FrameRecord} */
const other = (line, exact = true) => ({ ...at(line, exact), function: 'check' })

/** A function of whose line nothing is known but where it begins. @type {Profiled} */
const plain = {
  blamed: at(10),
  line: null,
  late: null,
  isHead: false,
  call: null,
  isOpen: false,
  isOpenLine: false,
  isCalledBy: false,
  allocates: null,
  isBuiltInto: false
}

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
  [{}, [7, 10, false], { frame: other(30), stacks: [], samples: 1 }],
  [{}, [2, 30, true], { frame: other(30), samples: 1, stacks: [within] }],
  [{}, [7, 10, false], { frame: other(30, false), stacks: [], samples: 2 }],
  [{ line: at(15) }, [5, 15, true], { frame: other(30), stacks: [], samples: 2 }],
  [{ line: at(15, false), isCalledBy: true }, [5, 15, false], { frame: other(30), stacks: [], samples: 2 }],
  // Native for most of its time, no answer was in time.
  [{}, [7, 10, false], { frame: other(30), stacks: [], samples: 2, durationMs: 310, evidence: native }],
  // 3
  [{ isBuiltInto: true, allocates: at(14) }, [3, 30, true], { frame: other(30), stacks: [], samples: 2 }],
  // 4
  [{ allocates: at(14), line: at(15), late }, [4, 14, true]],
  // 5
  [{ line: at(15), late: at(16) }, [5, 15, true]],
  [{ line: at(15, false), late: at(16) }, [5, 15, false]],
  // 6
  [{ late: at(16) }, [6, 16, true]],
  [{ late }, [6, 20, false]],
  [{ late: at(16), isOpenLine: true }, [6, 16, false]],
  // 7
  [{ late: at(10), isHead: true }, [7, 10, false]],
  [{}, [7, 10, false]]
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

test('where a function or a loop begins, and beside or in calls, answers to interrupts alone show no line', () => {
  const source = [
    'function modpow (base, exp) {', // 1
    '  while (exp > 0n) {', // 2
    '    base = base * base % mod', // 3
    '    exp >>= 1n',
    '  }',
    '  for (let i = 0; i < n; i++) sum += weigh(i)', // 6
    '  for (let i = 0; i < n; i++)', // 7
    '    sum += i * i',
    '  do {', // 9
    '    sum += i * i',
    '  } while (i < n)', // 11
    '  while (performance.now() < end);', // 12
    '  for (const each of row) sum += each * each', // 13
    '  sum += list.map((each) => each * 2).length', // 14
    '  while (performance.now() < end) {', // 15
    '  }',
    '}'
  ]
  const isCertain = (/** @type {number} */ line, /** @type {import('../../../lib/types').Frame[]} */ callees = []) => {
    const frame = at(line)
    const frames = [...callees, frame]
    const record = makeRecord({ frame, samples: 9, stacks: [{ count: 9, weightMs: 90, frames }] })
    return judged({ frame, evidence: 'stacks', record, profile: null, stacks: [], textOf: () => source }).exact
  }
  assert.deepEqual([1, 2, 6, 7, 9, 11].filter((line) => isCertain(line)), [])
  assert.deepEqual([12, 13, 14, 15].filter((line) => !isCertain(line)), [])
  // Only some of the functions that the line calls answer interrupts.
  assert.equal(isCertain(6, [{ function: 'push', file: null, line: null, column: null }]), false)
  assert.equal(isCertain(6, [{ function: 'weigh', file: '/srv/app/node_modules/x/index.js', line: 1, column: 1 }]), true)
})

test('a line of code that was compiled in memory is in doubt, whatever chose it', () => {
  const frame = { ...at(11), compiled: true }
  for (const evidence of /** @type {const} */ (['stacks', 'profile', 'source', 'allocation'])) {
    const place = { frame, evidence, record: makeRecord({ frame }), profile: null, stacks: [], textOf: () => null }
    assert.equal(judged(place).exact, false, evidence)
    assert.equal(judged({ ...place, frame: at(11) }).exact, true, evidence)
  }
})

test('a line that is only the end of a block is in doubt: it takes no time', () => {
  const source = ['for (const row of rows) {', '  sum += row', '}', 'list.map((each) => {', '  sum += each', '}), done', '  ]).join()',
    '  return acc // the sum', '} return }', '  return acc + 1n', '  return rows.total', '  continue', '  return sort(rows)']
  const isCertain = (/** @type {number} */ line) => {
    const frame = at(line)
    const place = { frame, record: makeRecord({ frame }), profile: null, stacks: [], textOf: () => source }
    return judged({ ...place, evidence: 'profile' }).exact
  }
  const inDoubt = source.flatMap((text, i) => isCertain(i + 1) ? [] : [text.trim()])
  assert.deepEqual(inDoubt, ['}', 'return acc // the sum', '} return }', 'continue'])
})

test('without a profile, a line is in doubt if answers were late and nothing that it calls was seen', () => {
  const source = ['for (const each of list) {', '  if (each * each > most) count++', '  for (let k = 0; k < n; k++) sum += k', '}']
  const isCertain = (/** @type {number} */ answerMs, runQueueMs = 0) => {
    const frame = at(3)
    const stacks = [{ count: 9, weightMs: 90, frames: [frame] }]
    const evidence = { ...makeRecord().evidence, answerMs, runQueueMs }
    const record = makeRecord({ frame, samples: 9, stacks, durationMs: 400, evidence })
    return judged({ frame, evidence: 'stacks', record, profile: null, stacks: [], textOf: () => source }).exact
  }
  assert.equal(isCertain(5), false, 'a product of large BigInts delays each answer')
  assert.equal(isCertain(0.9), true)
  assert.equal(isCertain(5, 200), true, 'the thread waited for a CPU')
})
