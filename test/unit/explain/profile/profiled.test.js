'use strict'

const test = require('node:test')
const path = require('node:path')
const assert = require('node:assert/strict')
const { cutProfiles } = require('../../../../lib/explain/profile/samples')
const { builtinIn } = require('../../../../lib/explain/source/builtins')
const { linesCalling, linesCallingUnknown } = require('../../../../lib/explain/source/function-text')
const { FILE, makeWindow, node, SOURCE, placed } = require('../../../support/profile')
const { makeRecord } = require('../../../support/record')

/** The same, and nothing in it that could be collected. */
const MAKES_NOTHING = SOURCE.map((line) => line.replace('JSON.parse', 'check'))
const native = { ...makeRecord().evidence, nativeMs: 300 }

/** Answers that all show one frame. @param {import('../../../../lib/types').Frame | null} [frame] */
const answered = (frame = null) => frame === null ? [] : [{ count: 2, weightMs: 40, frames: [frame] }]

/**
 * @param {any} profile
 * @param {Partial<import('../../../../lib/types').BlockRecord>} [differences]
 * @param {string[]} [source]
 */
const lay = (profile, differences, source = SOURCE, isInMemory = false) => {
  const differs = { stacks: answered(differences?.frame), ...differences }
  const record = makeRecord({ cause: 'native', evidence: native, frame: null, leaf: null, ...differs })
  const laid = /** @type {any} */ (placed(record, profile, {
    original: (/** @type {any} */ frame) => frame,
    runningRows: () => isInMemory ? null : source,
    sourceRows: () => source,
    placeOfLine: (/** @type {string} */ file, /** @type {number} */ line) => isInMemory ? null : { file, line }
  }))
  if (laid.frame === null) return laid
  const { because, ...frame } = laid.frame
  return { ...laid, frame }
}

const LOAD = [node(1, '(root)', null, [2, 4, 5]), node(2, 'handle', '/srv/app/node_modules/x/index.js', [3]), node(3, 'load', 1, [], { hitCount: 6, positionTicks: [{ line: 2, ticks: 1 }, { line: 3, ticks: 5 }] }), node(4, '(garbage collector)', null), node(5, '(idle)', null)]
/** The same with all samples in one line. */
const SURE = LOAD.with(2, node(3, 'load', 1, [], { hitCount: 6, positionTicks: [{ line: 3, ticks: 6 }] }))

/** A function with two samples in a line. */
const ONE = [node(1, '(root)', null, [2]), node(2, 'load', 1, [], { hitCount: 2, positionTicks: [{ line: 3, ticks: 2 }] })]

test('a cut has the samples of its interval alone, the nodes they need and their length', () => {
  const cut = /** @type {any} */ (cutProfiles([makeWindow(LOAD, [5, 5, 3, 3, 3, 3, 5, 5])], 1025, 1062))
  assert.deepEqual(cut.samples.length, 4)
  assert.deepEqual(cut.nodes.map((/** @type {any} */ { callFrame, hitCount }) => [callFrame.functionName, hitCount]), [['(root)', 0], ['handle', 0], ['load', 4]])
  assert.deepEqual(cut.timeDeltas, [5000, 10000, 10000, 10000])
  assert.deepEqual([cut.startTime, cut.endTime], [1025000, 1062000])
  assert.equal(cutProfiles([makeWindow(LOAD, [5, 5])], 2000, 2100), null)
  assert.equal(cutProfiles([], 0, 1), null)
})

test('a block that began in one profile and ended in the next is one', () => {
  const cut = /** @type {any} */ (
    cutProfiles([makeWindow(LOAD, [5, 3, 3]), makeWindow(LOAD, [3, 3, 5], 1030)], 1015, 1052)
  )
  assert.equal(cut.samples.length, 4)
  assert.equal(cut.timeDeltas.reduce((/** @type {number} */ sum, /** @type {number} */ delta) => sum + delta, 0), 35000)
})

test('a block longer than the profile that is kept shows its end, at its own length', () => {
  const cut = /** @type {any} */ (cutProfiles([makeWindow(LOAD, [3, 3])], 500, 1030))
  assert.deepEqual([cut.startTime, cut.endTime, cut.timeDeltas], [1000000, 1030000, [10000, 10000]])
})

test('a clock of V8 that counts from elsewhere is brought to ours', () => {
  const window = makeWindow(LOAD, [3, 3, 3])
  window.profile.startTime += 5e12
  assert.equal(cutProfiles([window], 1005, 1035)?.samples.length, 3)
})

test('lines of a function that mostly ran elsewhere are not taken for those of the block', () => {
  const [root, handle, load, ...others] = LOAD
  const busy = [root, handle, { ...load, hitCount: 60 }, ...others]
  assert.equal(cutProfiles([makeWindow(busy, [3, 3, 3, 3])], 1000, 1050)?.nodes.find(({ callFrame }) => callFrame.functionName === 'load')?.positionTicks, undefined)
  const steady = [
    root,
    handle,
    {
      ...load,
      hitCount: 60,
      positionTicks: [
        { line: 3, ticks: 55 },
        { line: 4, ticks: 5 }
      ]
    },
    ...others
  ]
  const loadOf = (/** @type {any} */ nodes, /** @type {number} */ count) => {
    const cut = cutProfiles([makeWindow(nodes, Array(count).fill(3))], 1000, 1010 + 10 * count)
    return cut?.nodes.find(({ callFrame }) => callFrame.functionName === 'load')
  }
  assert.equal(loadOf(steady, 4)?.isBorrowed, true, 'nearly all of it was one line, which all four may have missed')
  assert.deepEqual([loadOf(steady, 20)?.positionTicks?.length, loadOf(steady, 20)?.isBorrowed], [2, undefined], 'most of the twenty were there')
  assert.deepEqual([loadOf(LOAD, 4)?.positionTicks?.length, loadOf(LOAD, 4)?.isBorrowed], [2, undefined])
  // What was counted elsewhere names the line, and leaves it in doubt unless a stack shows it.
  const borrowed = cutProfiles([makeWindow(steady, [3, 3, 3, 3, 3, 3, 3])], 1000, 1090)
  const shown = (/** @type {number} */ line) => ({ function: 'load', file: FILE, line, column: 3, exact: true })
  const stackAt = (/** @type {number} */ line) => ({ count: 3, weightMs: 40, frames: [shown(line)] })
  const stacksAt = (/** @type {number} */ line) =>
    ({ frame: shown(line), samples: 3, stacks: [stackAt(line)], evidence: makeRecord().evidence })
  const frames = [4, 3].map((line) => lay(borrowed, stacksAt(line)).frame)
  assert.deepEqual(frames.map(({ line, exact }) => [line, exact]), [[3, false], [3, true]])
})

test('what only answered late is put right: function, line and the call in it; collections count where they interrupt', () => {
  const profile = cutProfiles([makeWindow(LOAD, [3, 3, 4, 3, 3, 3, 3])], 1000, 1070)
  const late = { function: 'handle', file: '/srv/app/node_modules/x/index.js', line: 9, column: 1, exact: false }
  for (const frame of [null, late]) {
    const record = lay(profile, { frame })
    assert.deepEqual(record.frame, { function: 'load', file: FILE, line: 3, column: 15, exact: true })
    assert.equal(record.profile.call, 'JSON.parse')
    assert.deepEqual(record.leaf, { function: 'JSON.parse', file: null, line: null, column: null })
    assert.deepEqual(record.profile.stacks.map((/** @type {any} */ { count, weightMs, frames }) => [count, weightMs, frames[0].function, frames.length]), [[6, 60, 'load', 2], [1, 10, '(garbage collector)', 1]])
  }
})

test('a single sample before collections leaves its line in doubt', () => {
  const nodes = [node(1, '(root)', null, [4, 3]), node(4, 'handle', FILE, [2]), node(2, 'load', 1, [], { hitCount: 1, positionTicks: [{ line: 2, ticks: 1 }] }), node(3, '(garbage collector)', null)]
  const profile = cutProfiles([makeWindow(nodes, [2, 3, 3, 3])], 1000, 1050)
  const { line, exact } = lay(profile, { frame: null, cause: 'gc' }, MAKES_NOTHING).frame
  assert.deepEqual([line, exact], [2, false])
})

test('a single collection is not charged to a function that ran before or after it where an interrupt was answered elsewhere', () => {
  const probe = node(4, 'answer', require.resolve('../../../../lib/host/agent'))
  const nodes = [node(1, '(root)', null, [2, 3, 4]), node(2, 'load', 1, [], { hitCount: 1, positionTicks: [{ line: 2, ticks: 1 }] }), node(3, '(garbage collector)', null), probe]
  const expire = { function: 'expire', file: FILE, line: 4, column: 3, exact: false }
  for (const samples of [[2, 3, 3, 3, 3], [3, 3, 3, 3, 2], [4, 3, 3, 3, 3, 2]]) {
    const { frame, profile } = lay(cutProfiles([makeWindow(nodes, samples)], 1000, 1090), { frame: expire, cause: 'gc' }, MAKES_NOTHING)
    assert.deepEqual([frame, profile.stacks[0].count, profile.stacks[0].frames.length], [expire, 4, 1], samples.join())
  }
})

test('a call of Node.js by the agent at an interrupt is not charged to the application', () => {
  const probe = node(3, 'probe', require.resolve('../../../../lib/host/sense/probe'), [4])
  const utilization = node(4, 'eventLoopUtilization', 'node:internal/perf/event_loop_utilization')
  const load = node(2, 'load', 1, [3], { hitCount: 2, positionTicks: [{ line: 2, ticks: 2 }] })
  const nodes = [node(1, '(root)', null, [2]), load, probe, utilization]
  const sampled = cutProfiles([makeWindow(nodes, [2, 4, 4, 2])], 1000, 1090)
  const { frame, profile } = lay(sampled, { frame: null }, MAKES_NOTHING)
  assert.deepEqual([frame?.function, profile.call, profile.stacks.length], ['load', null, 1])
})

test('collections that are most of a function are charged to the one line that makes something, of those it was seen in', () => {
  const source = ['function fill (cache) {', '  for (let i = 0; isOn(); i++) {', '    cache[i % 10] = { i }', '    count(i)', '  }', '}']
  /** @type {any[]} */
  const nodes = [node(1, '(root)', null, [2, 3]), node(2, 'fill', 1, [], { hitCount: 2, positionTicks: [{ line: 4, ticks: 1 }, { line: 3, ticks: 1 }] }), node(3, '(garbage collector)', null)]
  const head = { function: 'fill', file: FILE, line: 2, column: 3, exact: true }
  const frameOf = (/** @type {number[]} */ samples, /** @type {string[]} */ lines) => lay(cutProfiles([makeWindow(nodes, samples)], 1000, 1090), { frame: head, cause: 'gc' }, lines).frame
  assert.equal(frameOf([2, 3, 3, 2, 3], source).line, 3)
  assert.equal(frameOf([2, 3, 3, 2, 3], source).exact, false, 'two samples are few')
  assert.equal(frameOf([2, 2, 3], source).exact, false)
})

test('a sample in code that V8 has built into a function is none of a line of it', () => {
  const source = ['function onTimer () {', '  const end = performance.now() + 5', '  while (performance.now() < end);', '}', ...Array(200).fill('// more')]
  /** @type {any[]} */
  const nodes = [node(1, '(root)', null, [2]), node(2, 'onTimer', 1, [], { hitCount: 8, positionTicks: [{ line: 139, ticks: 5 }, { line: 3, ticks: 1 }, { line: 3, ticks: 1 }, { line: 3, ticks: 1 }] })]
  const profile = cutProfiles([makeWindow(nodes, Array(8).fill(2))], 1000, 1100)
  const { frame } = lay(profile, { cause: 'js', evidence: makeRecord().evidence }, source)
  assert.deepEqual([frame.line, frame.exact], [3, false])
  nodes[1].positionTicks = [{ line: 139, ticks: 8 }]
  const stack = { function: 'onTimer', file: FILE, line: 3, column: 3, exact: true }
  const told = lay(cutProfiles([makeWindow(nodes, Array(8).fill(2))], 1000, 1100), { frame: stack, cause: 'js', evidence: makeRecord().evidence }, source)
  assert.deepEqual(told.frame, { ...stack, exact: false })
})

test('stacks taken in time put a doubt on the line of a few samples, not of more; a block of JavaScript is given no call', () => {
  const frame = { function: 'load', file: FILE, line: 2, column: 17, exact: true }
  const layOf = (/** @type {number[]} */ samples) => lay(cutProfiles([makeWindow(SURE, samples)], 1000, 1050), { frame, cause: 'js', evidence: makeRecord().evidence })
  const few = lay(cutProfiles([makeWindow(ONE, [2, 2])], 1000, 1050), { frame, cause: 'js', evidence: makeRecord().evidence })
  assert.deepEqual([few.frame.line, few.frame.exact, few.profile.call, few.leaf], [3, false, null, null])
  const many = layOf([3, 3, 3, 3])
  assert.deepEqual([many.frame.line, many.frame.exact, many.profile.call], [3, true, null])
})

test('one stack taken in time, at the end of a short block, does not outweigh what the profile saw in another function', () => {
  const profile = cutProfiles([makeWindow(SURE, [3, 3, 3, 3])], 1000, 1050)
  const frame = { function: 'handle', file: FILE, line: 8, column: 3, exact: true }
  const record = lay(profile, { frame, samples: 1, evidence: makeRecord().evidence })
  assert.deepEqual([record.frame, record.profile.call], [{ function: 'load', file: FILE, line: 3, column: 15, exact: true }, 'JSON.parse'])
})

test('what V8 has built into its caller is named by a stack that was taken in it, in the line of the call', () => {
  const inner = { function: 'check', file: FILE, line: 20, column: 3 }
  /** @param {number} line of the call @param {number} samples @param {string[]} source */
  const layOf = (line, samples, source, { evidence } = makeRecord()) => {
    const stacks = [{ count: samples, weightMs: 40, frames: [inner, { function: 'load', file: FILE, line, column: 9 }] }]
    const profile = cutProfiles([makeWindow(SURE, [3, 3, 3, 3])], 1000, 1050)
    return lay(profile, { frame: { ...inner, exact: true }, samples, stacks, evidence }, source).frame
  }
  assert.deepEqual(layOf(3, 1, MAKES_NOTHING), { ...inner, exact: true })
  assert.equal(layOf(2, 1, MAKES_NOTHING).function, 'load', 'called from another line than the profile has')
  assert.equal(layOf(3, 1, MAKES_NOTHING, makeRecord({ evidence: native })).function, 'load', 'the answer was held up')
  assert.equal(layOf(3, 3, SOURCE).function, 'check')
})

test('a function of the application that V8 does not list has the samples of the package that called it', () => {
  const file = '/srv/app/node_modules/some/runner.js'
  const inner = { function: 'check', file: FILE, line: 3, column: 3 }
  const ticks = { hitCount: 4, positionTicks: [{ line: 2, ticks: 4 }] }
  const listed = node(3, 'check', 1, [], { hitCount: 4, positionTicks: [{ line: 3, ticks: 4 }] })
  const nodes = [node(1, '(root)', null, [2]), node(2, '', `file://${file}`, [3], ticks), listed]
  nodes[1].callFrame.lineNumber = 0
  /** @param {number[]} samples @param {Partial<import('../../../../lib/types').Frame>} [caller] */
  const layOf = (samples, caller) => {
    const frames = [inner, { function: null, file, line: 2, column: 9, ...caller }]
    const stacks = [{ count: 8, weightMs: 40, frames }]
    const { evidence } = makeRecord()
    const profile = cutProfiles([makeWindow(nodes, samples)], 1000, 1050)
    return lay(profile, { cause: 'js', frame: { ...inner, exact: true }, samples: 8, stacks, evidence }, MAKES_NOTHING).frame
  }
  const { exact, ...frame } = layOf([2, 2, 2, 2])
  assert.deepEqual({ frame, exact }, { frame: inner, exact: false }, 'its line makes a call, which may have delayed answers')
  assert.equal(layOf([2, 2, 2, 2], { line: 4 }).file, file, 'another line called it')
  assert.deepEqual([layOf([2, 3, 3, 3]).file, layOf([2, 2, 2, 3]).file], [FILE, FILE], 'listed after all')
})

test('a function that V8 does not list has the samples of its calls', () => {
  const source = ['function handle (text) {', '  return build(text)', '}', 'function build (text) {', '  return compute(text)', '}']
  const wasm = { function: null, file: 'wasm://wasm/0576888e', line: 1, column: 41 }
  const frame = { function: 'build', file: FILE, line: 5, column: 10 }
  const callee = node(3, 'wasm-function[0]', wasm.file, [], { hitCount: 8, positionTicks: [{ line: 1, ticks: 8 }] })
  const profile = cutProfiles([makeWindow([node(1, '(root)', null, [2]), node(2, 'handle', 1, [3]), callee], Array(8).fill(3))], 1000, 1100)
  const stacks = [{ count: 8, weightMs: 80, frames: [wasm, frame, { function: 'handle', file: FILE, line: 2, column: 10 }] }]
  const found = { cause: /** @type {const} */ ('js'), frame: { ...frame, exact: true }, samples: 8, stacks }
  assert.deepEqual(lay(profile, { ...found, evidence: makeRecord().evidence }, source).frame, { ...frame, exact: true })
})

test('a package that V8 has built into the application leaves the samples to the line that called it', () => {
  const inner = { function: 'escapeHtml', file: '/srv/app/node_modules/some/index.js', line: 9, column: 3 }
  const source = ['function load (text) {', '  const first = check(text)', '  return escape(text)', '}']
  const frame = { function: 'load', file: FILE, line: 3, column: 10, exact: true }
  const stacks = [{ count: 8, weightMs: 40, frames: [inner, frame] }]
  const { evidence } = makeRecord()
  const profile = cutProfiles([makeWindow(SURE, [3, 3, 3, 3])], 1000, 1050)
  const record = lay(profile, { cause: 'js', frame, samples: 8, stacks, evidence }, source)
  assert.deepEqual([record.frame.line, record.frame.exact], [3, true])
})

test('a function that others call is not taken for one that V8 has built into them: stacks go on beyond an await', () => {
  const outer = { function: 'render', file: '/srv/app/server.js', line: 5, column: 3 }
  const packed = (/** @type {string} */ file) => file.replace('/srv/app', '/srv/node_modules/some')
  const stacks = [{ count: 3, weightMs: 40, frames: [{ function: 'load', file: packed(FILE), line: 3, column: 9 }, outer] }]
  const ticks = { hitCount: 4, positionTicks: [{ line: 3, ticks: 4 }] }
  const nodes = [node(1, '(root)', null, [2]), node(2, 'load', `file://${packed(FILE)}`, [], ticks)]
  nodes[1].callFrame.lineNumber = 0
  const profile = cutProfiles([makeWindow(nodes, [2, 2, 2, 2])], 1000, 1050)
  const { evidence } = makeRecord()
  const found = { frame: { ...outer, exact: true }, samples: 3, stacks, evidence }
  const { frame } = lay(profile, found, MAKES_NOTHING)
  assert.deepEqual([frame.function, frame.line], ['load', 3])
})

test('the source shows the line of a call through Node.js; without source only the function is named', () => {
  const nodes = [node(1, '(root)', null, [2]), node(2, 'seal', 5, [3]), node(3, 'pbkdf2Sync', 'node:internal/crypto/pbkdf2', [4]), node(4, 'run', null)]
  const profile = cutProfiles([makeWindow(nodes, [4, 4, 4])], 1000, 1050)
  const told = lay(profile)
  assert.deepEqual([told.frame, told.profile.call], [{ function: 'seal', file: FILE, line: 7, column: 10, exact: true }, 'pbkdf2Sync'])
  assert.deepEqual(lay(profile, {}, []).frame, { function: 'seal', file: FILE, line: 5, column: 1, exact: false })
  const late = { function: 'seal', file: FILE, line: 7, column: 3, exact: false }
  assert.deepEqual(lay(profile, { frame: late }).frame, { ...late, column: 10, exact: true })
})

test('code compiled in memory gets its function, and a line from stacks alone', () => {
  const profile = cutProfiles([makeWindow(LOAD, [3, 3, 3, 3])], 1000, 1050)
  const late = { function: 'load', file: FILE, line: 3, column: 3, exact: false }
  const told = lay(profile, { frame: late }, SOURCE, true)
  assert.deepEqual([told.frame.function, told.frame.exact], ['load', false])
  const { function: name, exact } = lay(profile, {}, SOURCE, true).frame
  assert.deepEqual({ name, exact }, { name: 'load', exact: false })
})

test('code compiled in memory gets a line from its source map, unless it holds several lines of the source', () => {
  const nodes = [node(1, '(root)', null, [2]), node(2, 'load', 1, [], { hitCount: 4, positionTicks: [{ line: 3, ticks: 4 }] })]
  const profile = /** @type {any} */ (cutProfiles([makeWindow(nodes, [2, 2, 2, 2])], 1000, 1050))
  const frameWith = (/** @type {any} */ placeOfLine, /** @type {any} */ frame = null) =>
    placed(makeRecord({ cause: 'js', frame, stacks: [] }), profile, { original: (/** @type {any} */ each) => each, runningRows: () => null, sourceRows: () => null, placeOfLine }).frame
  const place = { file: '/srv/app/report.ts', line: 17, column: 3 }
  assert.deepEqual(frameWith(() => place), { function: 'load', ...place, exact: true, because: ['samples'] })
  assert.deepEqual(frameWith(() => null), { function: 'load', file: FILE, line: 1, column: 1, exact: false })
})

test('an interrupt at the head of a function, where it goes on after an await, says nothing of its line', () => {
  const head = { function: 'load', file: FILE, line: 1, column: 15, exact: true }
  const layOf = (/** @type {any} */ frame, /** @type {any[]} */ nodes, /** @type {number[]} */ samples) => lay(cutProfiles([makeWindow(nodes, samples)], 1000, 1090), { frame, cause: 'js', evidence: makeRecord().evidence }).frame
  assert.deepEqual([layOf(head, ONE, [2, 2, 2]).line, layOf(head, ONE, [2, 2, 2]).exact], [3, true])
  assert.equal(layOf({ ...head, line: 2 }, ONE, [2, 2, 2]).line, 3, 'three samples outweigh an answer in another line')
})

test('samples in which a loop reads the clock are none of its work, nor do they make what is collected', () => {
  const nodes = [
    node(1, '(root)', null, [2, 5]),
    node(2, 'load', 1, [3], { hitCount: 2, positionTicks: [{ line: 3, ticks: 2 }] }),
    node(3, 'now', 'node:internal/perf/performance', [4]),
    node(4, 'now', null, [], { hitCount: 4, positionTicks: [{ line: 139, ticks: 4 }] }),
    node(5, '(garbage collector)', null)
  ]
  const frameOf = (/** @type {number[]} */ samples, /** @type {any} */ frame = null) => lay(cutProfiles([makeWindow(nodes, samples)], 1000, 1090), { frame, cause: 'js', evidence: makeRecord().evidence }).frame
  assert.deepEqual([frameOf([4, 4, 4, 4, 2, 2, 2]).line, frameOf([4, 4, 4, 4, 2, 2, 2]).exact], [3, true])
  const heads = { function: 'load', file: FILE, line: 2, column: 1, exact: true }
  assert.equal(frameOf([4, 5, 5, 4, 2, 5, 4, 5], heads).line, 3, 'collections after a reading are of the loop')
  assert.equal(frameOf([4, 4, 4, 4], heads).line, 2, 'where it does nothing else the stack tells')
})

test('a function of zlib has the name by which it was called', () => {
  const nodes = [node(1, '(root)', null, [2]), node(2, 'pack', 1, [3]), node(3, 'syncBufferWrapper', 'node:zlib', [4]), node(4, 'processChunkSync', 'node:zlib')]
  const profile = cutProfiles([makeWindow(nodes, [4, 4, 4])], 1000, 1050)
  const lines = ['function pack () {', '  return gzipSync(body)', '}']
  assert.deepEqual([lay(profile, {}, lines).profile.call, lay(profile, {}, lines).frame.line], ['gzipSync', 2])
  assert.equal(lay(profile, {}, [...lines, 'deflateSync(a)']).profile.call, 'gzipSync', 'the other is of another function')
  assert.equal(lay(profile, { frame: { function: 'pack', file: FILE, line: 3, column: 1, exact: false } }, lines).profile.call, 'gzipSync', 'beside its line')
})

test('a regular expression is named without its pattern, and a lone name of C++ is not taken for a call', () => {
  const nodes = [node(1, '(root)', null, [2]), node(2, 'load', 1, [3, 4]), node(3, 'RegExp: (a+)+$', null), node(4, 'encodeInto', null)]
  const profile = cutProfiles([makeWindow(nodes, [3, 3, 3])], 1000, 1050)
  const record = lay(profile)
  assert.deepEqual([record.profile.call, record.leaf.function, record.profile.stacks[0].frames[0].function], Array(3).fill('(regular expression)'))
  assert.deepEqual(profile?.nodes.map(({ callFrame }) => callFrame.functionName), ['(root)', 'load', '(regular expression)'])
  assert.ok(!JSON.stringify([profile, record]).includes('a+'))
  assert.equal(lay(cutProfiles([makeWindow(nodes, [4, 4, 4])], 1000, 1050)).profile.call, null)
})

test('a name that V8 took over from the answer to an interrupt is in no stack, unless Node.js calls it', () => {
  const nodes = [
    node(1, '(root)', null, [2]), node(2, 'load', 1, [3, 5]), node(3, 'encodeInto', null, [4]), node(4, 'RegExp: (a+)+$', null),
    node(5, 'encodeInto', 'node:internal/encoding', [6]), node(6, 'encodeInto', null)
  ]
  const { stacks } = lay(cutProfiles([makeWindow(nodes, [3, 3, 3, 4, 4, 6])], 1000, 1060)).profile
  const names = stacks.map((/** @type {any} */ { frames }) => frames.map((/** @type {any} */ each) => each.function))
  assert.deepEqual(names, [['load'], ['(regular expression)', 'load'], ['encodeInto', 'encodeInto', 'load']])
})

test('a sample outside of the application changes nothing', () => {
  const idle = lay(cutProfiles([makeWindow(LOAD, [5, 5, 5])], 1000, 1050))
  assert.deepEqual([idle.frame, idle.profile.call, idle.profile.samples], [null, null, 3])
})

test('many short native calls are one cause, native, wherever between them interrupts were answered', () => {
  const nodes = [node(1, '(root)', null, [2]), node(2, 'seal', 5, [3]), node(3, 'update', 'node:internal/crypto/hash', [4]), node(4, 'update', null)]
  const causeOf = (/** @type {number[]} */ ids) =>
    lay(cutProfiles([makeWindow(nodes, ids)], 1000, 1100), { cause: 'js', samples: 4, evidence: makeRecord().evidence }).cause
  assert.deepEqual([causeOf([4, 4, 3, 2]), causeOf([4, 4, 2, 2]), causeOf([4, 4]), causeOf([2, 2, 2])], ['native', 'js', 'js', 'js'])
  const parse = cutProfiles([makeWindow(LOAD, [3, 3, 3])], 1000, 1100)
  const other = { function: 'next', file: FILE, line: 9, column: 1, exact: true }
  const once = (/** @type {number} */ samples) => lay(parse, { cause: 'js', frame: other, samples, evidence: makeRecord().evidence })
  assert.deepEqual([1, 2].map((samples) => [once(samples).profile.call, once(samples).cause]), [['JSON.parse', 'native'], [null, 'js']])
})

test('where nothing could be asked the profile tells the cause, but not of a line that may call a built-in once or often', () => {
  const causeOf = (/** @type {any[]} */ nodes, /** @type {object} */ differences = {}) =>
    lay(cutProfiles([makeWindow(nodes, [nodes.length, nodes.length, nodes.length])], 1000, 1100), { cause: 'unknown', samples: 0, stacks: [], evidence: makeRecord().evidence, ...differences }).cause
  const js = [node(1, '(root)', null, [2]), node(2, 'load', 1, [], { hitCount: 3, positionTicks: [{ line: 2, ticks: 3 }] })]
  assert.equal(causeOf(js), 'js')
  assert.equal(causeOf(js, { samples: 3 }), 'unknown')
  assert.equal(causeOf(js, { cause: 'starved' }), 'starved')
  assert.equal(causeOf([js[0], { ...js[1], positionTicks: [{ line: 3, ticks: 3 }] }]), 'unknown')
  assert.equal(causeOf([js[0], node(2, 'seal', 5, [3]), node(3, 'pbkdf2Sync', 'node:internal/crypto/pbkdf2', [], { hitCount: 3 })]), 'native')
})

test('the built-in that a line calls is named if there is just one', () => {
  /** @type {[string, string | null][]} */
  const lines = [
    ['  const x = JSON.parse(text)', 'JSON.parse'], ['copy.sort()', 'sort'], ['    .sort((a, b) => a - b)', 'sort'], ['list.map(f).sort()', 'sort'], ['return /^(a+)+$/.test(s)', '(regular expression)'],
    ['structuredClone(state)', 'structuredClone'], ['return a?.split(",")', 'split'], ['JSON.parse(a) + JSON.parse(b)', 'JSON.parse'], ['JSON.parse(a).sort()', null],
    ['sort(list)', null], [`${' '.repeat(900)}x`, null], [`a(${'b.sort(),'.repeat(200)})`, null], ['JSON . parse (a)', 'JSON.parse'], ['yaml.parse(text)', null], ['compute(n)', null], ['mysort()', null], ['', null]
  ]
  for (const [line, call] of lines) assert.equal(builtinIn(line)?.call ?? null, call, line)
  assert.equal(builtinIn('  const x = JSON.parse(text)')?.column, 18)
})

test('the lines of a function that make a call are found by the name of the callee, else by what else they may call', () => {
  const start = (/** @type {number} */ line, /** @type {number} */ column) => ({ line, column })
  assert.deepEqual(linesCalling(SOURCE, start(5, 15), 'pbkdf2Sync'), [7])
  assert.deepEqual(linesCalling(SOURCE, start(1, 15), 'pbkdf2Sync'), [], 'not beyond its end')
  const lines = ['const check = (n) => n > 0', 'function load (list) {', '  for (const each of list) {', "    const ok = crypto.verify('sha256 (fast)', each) // why (1)", '    if (check(ok)) found.push(Number(each))', '  }', '}']
  assert.deepEqual(linesCalling(lines, start(2, 15), 'exports.verify'), [4])
  assert.deepEqual(linesCalling(lines, start(2, 15), 'verifyOneShot'), [])
  assert.deepEqual(linesCallingUnknown(lines, start(2, 15), true), [4], 'V8 names it verifyOneShot')
  assert.deepEqual(linesCallingUnknown(lines, start(2, 15), false), [4, 5], 'a function of this file may be it')
  assert.deepEqual(linesCalling(['function f () {', '  text.replace(pattern, "")', '}'], start(1, 12), '(regular expression)'), [2])
})

test('a C++ function that is called without JavaScript between has the line of its caller', () => {
  const called = [node(1, '(root)', null, [2]), node(2, 'load', 1, [3]), node(3, 'timingSafeEqual', null, [], { hitCount: 6, positionTicks: [{ line: 3, ticks: 6 }] })]
  const { frame } = lay(makeWindow(called, [3, 3, 3, 3, 3, 3]).profile, { frame: { ...makeRecord().frame, function: 'load', file: '/srv/app/report.js', line: 4, column: 1, exact: false } })
  assert.deepEqual([frame.function, frame.line, frame.exact], ['load', 3, true])
})

test('the time in which the agent itself asks and takes its profile is not a call of the application', () => {
  const agent = path.join(__dirname, '..', '..', '..', '..', 'lib', 'host', 'agent.js')
  const nodes = [
    node(1, '(root)', null, [2]),
    node(2, 'load', 1, [3, 5]),
    node(3, 'profile', agent, [4]),
    node(4, 'stop', null),
    node(5, 'check', 2)
  ]
  const samples = [4, 4, 4, 4, 4, 3, 5, 5, 5]
  const told = lay(makeWindow(nodes, samples).profile, { samples: 0 })
  assert.equal(told.profile.call, null)
  assert.equal(told.frame?.function, 'check')
  assert.deepEqual(told.profile.stacks.map((/** @type {any} */ { count }) => count), [3])
})

test('a collection told of the caller leaves the line to the function that interrupts found in it', () => {
  const nodes = [node(1, '(root)', null, [2, 3]), node(2, 'handle', FILE), node(3, '(garbage collector)', null)]
  const load = { function: 'load', file: FILE, line: 4, column: 3, exact: false }
  const handle = { function: 'handle', file: FILE, line: 9, column: 1 }
  const stacks = [{ count: 1, weightMs: 60, frames: [load, handle] }]
  const sampled = cutProfiles([makeWindow(nodes, [2, 3, 3, 2, 3])], 1000, 1090)
  assert.deepEqual(lay(sampled, { frame: load, cause: 'gc', samples: 1, stacks }, MAKES_NOTHING).frame, load)
  assert.equal(lay(sampled, { frame: load, cause: 'gc', samples: 1, stacks: [] }, MAKES_NOTHING).frame.function, 'handle')
})
