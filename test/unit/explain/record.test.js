'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { KernelEvidence } = require('../../../lib/watchdog/loop/kernel-evidence')
const { recordOf } = require('../../../lib/explain/record')
const { FrameTable } = require('../../../lib/explain/source/frame-table')
const { ownCauseOf } = require('../../../lib/tables/causes')
const { sentenceOf } = require('../../../lib/util/sentence')
const { BlockFacts } = require('../../../lib/watchdog/loop/block-facts')
const { packageIn } = require('../../../lib/watchdog/source/source-reader')

/** @typedef {ConstructorParameters<typeof BlockFacts>[0]} Parts */
/** @typedef {Partial<Parts> & Pick<Parts, 'before'> & { table?: FrameTable }} Story */

const surroundings = { gcPauses: { within: () => 0 }, lateness: { within: () => 0 } }

/** The facts of a block of the main thread, and records of them. */
class Recorded extends BlockFacts {
  #code

  /** @param {Story} story */
  constructor ({ table = new FrameTable((frame) => frame), ...parts }) {
    super({ owner: { thread: 'main', threadId: 0 }, beats: 1, thresholdMs: 50, surroundings, ...parts })
    this.#code = { table, packageIn, sources: () => assert.fail('there is no profile') }
  }

  /** @param {Parameters<BlockFacts['ongoing']>} at */
  soFar (...at) {
    return recordOf(this.ongoing(...at), this.#code).record
  }

  /** @param {Parameters<BlockFacts['ended']>} at */
  whole (...at) {
    return recordOf(this.ended(...at), this.#code).record
  }
}

/**
 * The evidence of a block from 1000 to 1200 on the CPU, of which the watchdog first looked `firstLookMs` after its
 * start.
 * @param {number} firstLookMs
 */
function charged (firstLookMs) {
  const at = (/** @type {number} */ atMs) => ({
    atMs,
    cpuMs: Math.min(atMs, 1200),
    runQueueMs: 0,
    throttledMs: 0,
    stolenMs: null
  })
  const facts = new Recorded({ beats: 1, before: at(1000 + firstLookMs) })
  facts.begin('1', { startMs: 1000, uncertaintyMs: 0, startup: true, beats: 1 }, 1060)
  const {
    cause,
    evidence: { cpuMs, runQueueMs }
  } = facts.whole({ endMs: 1200, durationMs: 200, uncertaintyMs: 0, busyMs: 200 }, at(1400))
  return { cause, cpuMs, runQueueMs }
}

test('a block that began before the watchdog was there is charged with what its end shows', () => {
  for (const firstLookMs of [-10, 0, 10, 100, 120]) assert.deepEqual(charged(firstLookMs).cpuMs, 200, `${firstLookMs} ms after its start`)
})

const OWN = path.join(__dirname, '..', '..', '..', 'lib', 'host', 'work', 'http', 'requests.js')
const FRAME = { column: 1, line: 5, function: 'require' }
/** Of loading what follows requests, by a timer. */
const ofAgent = [{ ...FRAME, file: 'node:internal/modules/cjs/loader' }, { ...FRAME, function: null, file: OWN }]
const ofApplication = [{ ...FRAME, function: 'spin', file: '/srv/app.js' }]

/**
 * A block from 1000 to 1200 whose samples had these frames. The host measured how long the agent kept the thread.
 * @param {{ frames: object[][], heldMs?: number, busyMs?: number, work?: any, gcMs?: number }} told
 * `busyMs` without that time
 */
function shared ({ frames, heldMs = 0, busyMs = 200, work = null, gcMs = 0 }) {
  const at = (/** @type {number} */ atMs) => ({ atMs, cpuMs: atMs, runQueueMs: 0, throttledMs: 0, stolenMs: null })
  const heldMicros = () => 7000 + heldMs * 1000
  const facts = new Recorded({
    before: at(1000),
    heldMicros: 7000,
    surroundings: { ...surroundings, holds: { heldMicros }, gcPauses: { within: () => gcMs } }
  })
  facts.begin('1', { startMs: 1000, uncertaintyMs: 0, startup: true, beats: 1 }, 1060)
  const sample = { beats: 1, putAtMs: null, idleMs: 0, inspectorPort: null, late: false, request: null, work }
  for (const [i, each] of frames.entries()) {
    facts.add(/** @type {any} */ ({ ...sample, frames: each, questionAtMs: 1180 + i, atMs: 1180 + i }))
  }
  return facts.whole({ endMs: 1200, durationMs: 200, uncertaintyMs: 0, busyMs }, at(1200))
}

test('a sample in code of loopwatch makes no block its own: what counts is what the host measured', () => {
  const { package: found, evidence, frame, cause } = shared({ frames: [ofAgent], heldMs: 4 })
  assert.deepEqual([found, evidence.ownMs, frame, cause], [null, 0, null, 'unknown'])
  const mixed = shared({ frames: [ofAgent, ofApplication], heldMs: 4 })
  assert.deepEqual([mixed.package, mixed.evidence.ownMs, mixed.frame?.function, mixed.cause], [null, 0, 'spin', 'js'])
})

test('the first answers share the time before them, and the one with a place has most of it', () => {
  const ofNode = [{ ...FRAME, function: 'processTicksAndRejections', file: 'node:internal/process/task_queues' }]
  const { frame } = shared({ frames: [ofNode, ofApplication] })
  assert.equal(frame?.function, 'spin')
  const weights = (/** @type {object[][]} */ ...frames) => shared({ frames }).stacks.map(({ weightMs }) => weightMs)
  assert.deepEqual(weights(ofNode, ofApplication), [120.7, 60.3])
  assert.deepEqual(weights(ofNode, ofNode, ofApplication), [121.3, 60.7])
  assert.deepEqual(weights(ofNode, ofNode), [181], 'a block that no place was found in')
  assert.deepEqual(weights(ofApplication, ofNode), [180, 1], 'what follows a place stands for its own time')
})

test('the line of a block in progress is in doubt where answers came after calls, or from several lines', () => {
  /** @param {{ line: number, answerMs: number }[]} answers */
  const isExact = (answers) => {
    const facts = new Recorded({ before: { atMs: 1000, cpuMs: 1000, runQueueMs: 0, throttledMs: 0, stolenMs: null } })
    facts.begin('1', { startMs: 1000, uncertaintyMs: 0, startup: false, beats: 1 }, 1050)
    const sample = { beats: 1, putAtMs: null, idleMs: 0, inspectorPort: null, late: false, request: null }
    for (const [i, { line, answerMs }] of answers.entries()) {
      const frames = [{ ...ofApplication[0], line }]
      const atMs = 1050 + 50 * i
      facts.add(/** @type {any} */ ({ ...sample, frames, questionAtMs: atMs - answerMs, atMs }))
    }
    facts.addReading({ atMs: 1150, cpuMs: 1150, runQueueMs: 0, throttledMs: 0, stolenMs: null })
    return facts.soFar(1150, null).frame?.exact
  }
  assert.equal(isExact([1, 2, 3].map(() => ({ line: 5, answerMs: 1 }))), true)
  assert.equal(isExact([{ line: 5, answerMs: 1 }]), false, 'a single answer may be anywhere')
  assert.equal(isExact([{ line: 5, answerMs: 3 }]), false)
  assert.equal(isExact([{ line: 5, answerMs: 1 }, { line: 9, answerMs: 1 }, { line: 5, answerMs: 1 }]), false)
})

test('a block does not include what the host left out, and one that is mostly loopwatch is reported as its own', () => {
  assert.equal(shared({ frames: [ofApplication], heldMs: 150 }).evidence.ownMs, 0)
  const record = shared({ frames: [ofAgent, ofAgent], heldMs: 150, busyMs: 50 })
  assert.deepEqual([record.evidence.ownMs, record.package?.name, record.frame?.file], [150, 'loopwatch', OWN])
  assert.match(sentenceOf(record), /^event loop was blocked for 200 ms at startup by loopwatch itself: .*requests\.js:5\)$/)
})

test('a collection that interrupted loopwatch is not blamed on it', () => {
  const { cause, package: found, frame, evidence } = shared({ frames: [ofAgent], gcMs: 190 })
  assert.deepEqual([cause, found, frame, evidence.ownMs], ['gc', null, null, 0])
})

test('a copy of blocked-at that the application runs is a package like any other', () => {
  const file = '/srv/node_modules/blocked-at/index.js'
  const { frame, evidence, package: found } = shared({ frames: [[{ ...FRAME, function: 'init', file }], [{ ...FRAME, function: 'init', file }]], heldMs: 0 })
  assert.deepEqual([frame?.file, evidence.ownMs, found?.name === 'loopwatch'], [file, 0, false])
})

test('time in native calls is never below zero', () => {
  const frames = [{ ...FRAME, file: 'node:zlib' }]
  assert.equal(contended([{ questionAtMs: 1060, atMs: 1070, waitedMs: 100, frames }]).verdict.nativeMs, 0)
})

/**
 * The cause of a block of 174 ms of which a thread waited for a CPU for 112, and answered as told.
 * @param {{ questionAtMs: number, atMs: number, waitedMs: number, frames?: object[] }[]} answers
 * @param {number} [thresholdMs]
 */
function contended (answers, thresholdMs = 50) {
  const at = (/** @type {number} */ atMs, /** @type {number} */ runQueueMs) =>
    ({ atMs, cpuMs: atMs - 1000 - runQueueMs, runQueueMs, throttledMs: 0, stolenMs: null })
  const facts = new Recorded({ beats: 7, before: at(1000, 0), thresholdMs })
  facts.addReading(at(1060, 30))
  facts.begin('1', { startMs: 1000, uncertaintyMs: 0, startup: false, beats: 7 }, 1060)
  for (const answer of answers) {
    const sample = { beats: 7, putAtMs: null, idleMs: 0, inspectorPort: null, late: true, request: null }
    facts.add(/** @type {any} */ ({ ...sample, frames: [{ function: 'f', file: '/a.js', line: 1, column: 1 }], ...answer }))
  }
  const end = { endMs: 1174, durationMs: 174, uncertaintyMs: 0, busyMs: 174 }
  const record = facts.whole(end, at(1174, 112))
  return { record, verdict: { cause: record.cause, own: ownCauseOf(record), nativeMs: record.evidence.nativeMs } }
}

test('under contention a native call is native, and JavaScript that only had to wait before it answered is js', () => {
  assert.deepEqual(contended([{ questionAtMs: 1060, atMs: 1143, waitedMs: 60 }]).verdict, { cause: 'starved', own: 'native', nativeMs: 53 })
  assert.deepEqual(contended([{ questionAtMs: 1060, atMs: 1102, waitedMs: 40 }, { questionAtMs: 1110, atMs: 1170, waitedMs: 55 }]).verdict, { cause: 'starved', own: 'js', nativeMs: 0 })
})

test('the time of collections and calls is counted while they are in progress', () => {
  // Until 1100 a call computes and waits by turns, until 1200 a collection waits, and until 1300 JavaScript runs.
  const at = (/** @type {number} */ atMs, /** @type {number} */ cpuMs, /** @type {number} */ runQueueMs) =>
    ({ atMs, cpuMs, runQueueMs, throttledMs: 0, stolenMs: null })
  const pauses = [{ startMs: 1100, endMs: 1200 }]
  const facts = new Recorded({
    beats: 7,
    before: at(990, 0, 0),
    surroundings: { ...surroundings, gcPauses: { within: () => 100, listWithin: () => pauses } }
  })
  facts.addReading(at(1050, 20, 30))
  facts.begin('1', { startMs: 1000, uncertaintyMs: 0, startup: false, beats: 7 }, 1050)
  const sample = { beats: 7, putAtMs: null, idleMs: 0, debugged: false, request: null, frames: [{ ...FRAME, file: '/a.js' }] }
  facts.add(/** @type {any} */ ({ ...sample, late: true, questionAtMs: 1050, atMs: 1100, waitedMs: 30 }))
  facts.addReading(at(1100, 40, 60))
  facts.addReading(at(1200, 50, 150))
  facts.add(/** @type {any} */ ({ ...sample, late: false, questionAtMs: 1220, atMs: 1221, waitedMs: 0 }))
  const { kernel } = facts.ended({ endMs: 1300, durationMs: 300, uncertaintyMs: 0, busyMs: 300 }, at(1300, 150, 150))
  assert.deepEqual([kernel.nativeCpuMs, kernel.gcCpuMs, kernel.gcHeldMs], [40, 10, 90])
})

test('a long block keeps few readings', () => {
  const at = (/** @type {number} */ atMs) =>
    ({ atMs, cpuMs: atMs / 2, runQueueMs: atMs / 4, throttledMs: 0, stolenMs: null })
  const kernel = new KernelEvidence(at(0))
  for (let i = 1; i < 5000; i++) kernel.add(at(20 * i))
  const spent = kernel.spentIn([{ startMs: 40000, endMs: 60000 }], 0, at(100000))
  assert.deepEqual([Math.round(spent?.cpuMs ?? 0), Math.round(spent?.waitedMs ?? 0)], [10000, 5000])
  assert.equal(kernel.spentIn([], 0, { ...at(100000), runQueueMs: null }), null)
})

test('the line of a block that is the machine\'s alone is in doubt', () => {
  const answers = [1080, 1100, 1120, 1140].map((atMs) => ({ questionAtMs: atMs - 1, atMs, waitedMs: 0, late: false }))
  const exactWith = (/** @type {number} */ thresholdMs) => {
    const { excused, frame } = contended(answers, thresholdMs).record
    return [excused, frame?.line, frame?.exact]
  }
  assert.deepEqual(exactWith(50), [false, 1, true])
  assert.deepEqual(exactWith(80), [true, 1, false])
})

test('of one that had ended, or nearly, it is not known what it did', () => {
  for (const firstLookMs of [130, 199, 200, 350]) assert.deepEqual(charged(firstLookMs), { cause: 'unknown', cpuMs: null, runQueueMs: null }, `${firstLookMs} ms after its start`)
})

/** An answer that shows a request and no frame. @param {object} request @param {number} beats @returns {any} */
const answerOf = (request, beats) => {
  const times = { atMs: 1050, questionAtMs: 1049, putAtMs: null, idleMs: 0 }
  return { beats, ...times, inspectorPort: null, late: false, request, frames: [] }
}

test('a block in progress starts when it is certain to have begun, an ended one when it did; its request keeps its own time', () => {
  const reading = { atMs: 900, cpuMs: 0, runQueueMs: 0, throttledMs: 0, stolenMs: null }
  const facts = new Recorded({ beats: 7, before: reading })
  const beganAt = Date.now() - 160
  // The last beat came at 899, the next was due 100 ms later.
  facts.begin('1', { startMs: 1000, uncertaintyMs: 101, startup: false, beats: 7 }, 1060)
  const request = { id: 3, method: 'GET', route: '/report', startedAtMs: 890, traceId: null, ended: false }
  facts.add(answerOf(request, 7))
  const early = facts.soFar(1060, null)
  const late = facts.whole(
    { endMs: 1100, durationMs: 200, uncertaintyMs: 90, busyMs: 200 },
    { ...reading, atMs: 1101 }
  )
  const sinceMs = (/** @type {{ startedAt: string } | null} */ of) => Date.parse(of?.startedAt ?? '') - beganAt
  assert.equal(early.durationMs, 60)
  assert.ok(Math.abs(sinceMs(early) - 100) <= 5, `in progress it starts ${sinceMs(early)} ms after it began`)
  assert.ok(Math.abs(sinceMs(late)) <= 5, `ended it starts ${sinceMs(late)} ms after it began`)
  assert.ok(Math.abs(sinceMs(late.request) + 10) <= 5, `its request starts ${sinceMs(late.request)} ms after it`)
  assert.equal(early.request?.startedAt, late.request?.startedAt)
})

test('a block is of the startup until a request or other work is seen in it', () => {
  const job = { id: 4, rootId: 4, kind: 'job', name: 'invoices:pdf', startedAtMs: 990, parent: null, attributes: {}, ended: false }
  assert.deepEqual([shared({ frames: [ofApplication] }), shared({ frames: [ofApplication], work: job })]
    .map(({ startup }) => startup), [true, false])
  const reading = { atMs: 900, cpuMs: 0, runQueueMs: 0, throttledMs: 0, stolenMs: null }
  const facts = new Recorded({ beats: 1, before: reading })
  facts.begin('1', { startMs: 1000, uncertaintyMs: 1, startup: true, beats: 1 }, 1060)
  assert.equal(facts.soFar(1060, null).startup, true)
  const request = { id: 3, method: 'GET', route: '/report', startedAtMs: 990, traceId: null, ended: false }
  facts.add(answerOf(request, 1))
  assert.equal(facts.soFar(1060, null).startup, false)
})

/** @param {import('../../../lib/watchdog/loop/kernel-evidence').Reading} before the last one of calm */
const factsAfter = (before) => new Recorded({ beats: 1, before })

const unknown = { runQueueMs: null, throttledMs: null, stolenMs: null }

/**
 * A block from 1000 to 1300 that the kernel tells `kernelMs` of, and its thread at its end `gapMs`.
 * @param {number | null} kernelMs
 * @param {number | null} gapMs
 * @param {[number, number][]} answers when, and CPU time
 */
function cpuOf (kernelMs, gapMs, answers) {
  const at = (/** @type {number} */ atMs) => ({
    atMs,
    cpuMs: kernelMs === null ? null : (kernelMs * (atMs - 1000)) / 300,
    ...unknown
  })
  const facts = factsAfter(at(1000))
  facts.ownCpu.add({ atMs: 1000, cpuMs: 500 })
  facts.begin('1', { startMs: 1000, uncertaintyMs: 0, startup: false, beats: 1 }, 1060)
  for (const [atMs, cpuMs] of answers) facts.add({ beats: 1, atMs, questionAtMs: atMs - 1, putAtMs: null, idleMs: 0, inspectorPort: null, late: false, request: null, cpuMs, frames: [{ function: 'f', file: '/a.js', line: 1, column: 1 }] })
  const ongoing = facts.soFar(1300, null).evidence.cpuMs
  return [
    ongoing,
    facts.whole({ endMs: 1300, durationMs: 300, uncertaintyMs: 0, busyMs: 300, cpuMs: gapMs }, at(1300)).evidence
      .cpuMs
  ]
}

test('the kernel is believed first, then what the thread counted between two beats, then its answers', () => {
  assert.deepEqual(cpuOf(150, 20, [[1280, 780]]), [300, 150])
  assert.deepEqual(cpuOf(null, 20, [[1280, 780]]), [300, 20])
  assert.deepEqual(cpuOf(null, 400, []), [null, 300])
  assert.deepEqual(cpuOf(null, null, [[1280, 640]]), [150, 150])
  assert.deepEqual(cpuOf(null, null, []), [null, null])
})

/**
 * The evidence of a block from 1000 to 1300.
 * @param {{ cpuMs: number, runQueueMs?: number, first?: number, stolenMs: (number | null)[] }} story
 */
function chargedWithStolen ({ cpuMs, runQueueMs = 0, first = 1030, stolenMs: [from, to] }) {
  const at = (/** @type {number} */ atMs, /** @type {number | null} */ stolenMs) => ({
    atMs, cpuMs: cpuMs * (atMs - 1000) / 300, runQueueMs: runQueueMs * (atMs - 1000) / 300, throttledMs: 0, stolenMs
  })
  const facts = factsAfter(at(1000, null))
  facts.addReading(at(first, from))
  facts.begin('1', { startMs: 1000, uncertaintyMs: 0, startup: false, beats: 1 }, 1060)
  const { cause, evidence } = facts.whole(
    { endMs: 1300, durationMs: 300, uncertaintyMs: 0, busyMs: 300 },
    at(1300, to)
  )
  return [cause, evidence.stolenMs]
}

test('a block is charged with what was stolen within it and nothing else explains', () => {
  assert.deepEqual(chargedWithStolen({ cpuMs: 40, stolenMs: [5000, 5250] }), ['starved', 260], 'all that it was off the CPU')
  assert.deepEqual(chargedWithStolen({ cpuMs: 40, stolenMs: [5000, 5000] }), ['sync-io', 0])
  assert.deepEqual(chargedWithStolen({ cpuMs: 150, stolenMs: [5000, 5054] }), ['unknown', 60], 'for all of it, as of nine tenths of it; asleep for 90 ms of 240 is no sync-io')
  assert.deepEqual(chargedWithStolen({ cpuMs: 300, stolenMs: [5000, 5270] }), ['unknown', 0], 'a kernel that counts it as time on the CPU')
  assert.deepEqual(chargedWithStolen({ cpuMs: 40, runQueueMs: 255, stolenMs: [5000, 5270] }), ['starved', 5])
  assert.deepEqual(chargedWithStolen({ cpuMs: 40, first: 1200, stolenMs: [5000, 5090] }), ['sync-io', null], 'a third of it is not enough')
  assert.deepEqual(chargedWithStolen({ cpuMs: 40, stolenMs: [null, null] }), ['sync-io', null])
})

const readingAt = (/** @type {number} */ atMs, /** @type {number | null} */ throttledMs) => ({
  atMs,
  cpuMs: 0,
  // Where the kernel tells it, it includes this.
  runQueueMs: null,
  throttledMs,
  stolenMs: null
})

/**
 * What a block from 1000 to 1200 is charged with.
 * @param {{ before: number | null, first: number | null, after: number | null }} throttledMs
 */
function chargedWithThrottled ({ before, first, after }) {
  const facts = factsAfter(readingAt(990, before))
  if (first !== null) facts.addReading(readingAt(1030, first))
  facts.begin('1', { startMs: 1000, uncertaintyMs: 0, startup: false, beats: 1 }, 1060)
  const { cause, evidence } = facts.whole(
    { endMs: 1200, durationMs: 200, uncertaintyMs: 0, busyMs: 200 },
    readingAt(1200, after)
  )
  return { cause, throttledMs: evidence.throttledMs }
}

test('a block is charged with the throttling within it, not with that of the quarter of a second before it', () => {
  assert.equal(chargedWithThrottled({ before: 0, first: 200, after: 200 }).throttledMs, 30, 'all of it before the first look, which came 30 ms into the block')
  assert.notEqual(chargedWithThrottled({ before: 0, first: 200, after: 200 }).cause, 'starved')
  assert.deepEqual(chargedWithThrottled({ before: 0, first: 0, after: 170 }), { cause: 'starved', throttledMs: 170 })
  assert.equal(chargedWithThrottled({ before: 100, first: 110, after: 150 }).throttledMs, 50)
  // Frozen with the watchdog: there was no look within it.
  assert.deepEqual(chargedWithThrottled({ before: 0, first: null, after: 180 }), { cause: 'starved', throttledMs: 180 })
  assert.equal(chargedWithThrottled({ before: null, first: null, after: null }).throttledMs, null)
})

const calm = { atMs: 1000, cpuMs: 0, runQueueMs: 0, throttledMs: 0, stolenMs: null }

/** A block in progress from 1000 on. @param {FrameTable} table */
function observed (table) {
  const facts = new Recorded({ before: calm, table })
  facts.begin('1', { startMs: 1000, uncertaintyMs: 0, startup: false, beats: 1 }, 1060)
  const request = { id: 3, method: 'GET', route: '/report', startedAtMs: 990, traceId: null, ended: false }
  const answer = (/** @type {number} */ atMs) => facts.add({
    beats: 1,
    atMs,
    questionAtMs: atMs - 1,
    putAtMs: null,
    idleMs: 0,
    inspectorPort: null,
    late: false,
    request,
    // The innermost is a package's: only then does it matter whether the application's function passes on a call.
    frames: ['/app/node_modules/p/p.js', '/app/a.js'].map((file) => table.get({ function: null, file, line: 1, column: 1 }))
  })
  return { facts, answer }
}

test('what is renewed at each question is how long it lasts, its evidence and its cause', () => {
  const { facts, answer } = observed(new FrameTable((frame) => frame))
  answer(1060)
  facts.addReading({ ...calm, atMs: 1070, cpuMs: 70 })
  const early = facts.soFar(1070, null)
  facts.addReading({ ...calm, atMs: 1300, cpuMs: 300 })
  // A question that stays unanswered shows a native call, without a new sample.
  const late = facts.soFar(1300, 1065)
  assert.deepEqual([early.cause, early.evidence.nativeMs, late.cause, late.evidence.nativeMs], ['js', 0, 'native', 235])
})

test('a name that is still being read is in the next record once it is known', () => {
  let isBusy = true
  const nameOf = () => isBusy ? undefined : 'f'
  const { facts, answer } = observed(new FrameTable((frame) => frame, { nameOf, isBusy: () => isBusy }))
  answer(1060)
  assert.equal(facts.soFar(1070, null).frame?.function, null)
  isBusy = false
  assert.equal(facts.soFar(1080, null).frame?.function, 'f')
})

test('what V8 calls a function without a name is in no message, stack or callback', () => {
  const guess = 'RollupCron.node_cron_1.default.schedule.name'
  const nameOf = (/** @type {{ column: number | null }} */ { column }) => column === null ? null : 'callback of cron.schedule'
  const ofV8 = (/** @type {any} */ frame) => ({ ...frame, function: frame.file === '/app/a.js' ? guess : frame.function })
  const { facts, answer } = observed(new FrameTable(ofV8, { nameOf }))
  answer(1060)
  const record = facts.soFar(1070, null)
  assert.equal(record.frame?.function, 'callback of cron.schedule')
  assert.doesNotMatch(JSON.stringify(record), /node_cron_1/)
})

test('an answer before which nothing could be asked shows neither a native call nor a certain line or request', () => {
  const at = (/** @type {number} */ atMs) => ({ atMs, cpuMs: atMs, runQueueMs: 0, throttledMs: 0, stolenMs: null })
  const seen = (/** @type {boolean} */ isAfterRefusal) => {
    const facts = new Recorded({ beats: 7, before: at(1000) })
    facts.begin('1', { startMs: 1000, uncertaintyMs: 0, startup: false, beats: 7 }, 1060)
    const request = { id: 3, method: 'GET', route: '/report', startedAtMs: 990, traceId: null, ended: false }
    const sample = { beats: 7, putAtMs: null, idleMs: 0, inspectorPort: null, late: true, request, work: null }
    facts.add({ ...sample, atMs: 1312, questionAtMs: 1301, isAfterRefusal, frames: [{ function: 'f', file: '/a.js', line: 1, column: 1 }] })
    const record = facts.whole({ endMs: 1320, durationMs: 320, uncertaintyMs: 0, busyMs: 320 }, at(1320))
    return [record.cause, record.evidence.nativeMs, record.frame?.exact, record.request?.exact]
  }
  assert.deepEqual(seen(true), ['js', 0, false, false])
  assert.deepEqual(seen(false), ['native', 312, false, undefined])
})

test('if Node.js ran for most of a block, awaited, a smaller part of the application is not blamed', () => {
  const at = (/** @type {number} */ atMs) => ({ atMs, cpuMs: atMs, runQueueMs: 0, throttledMs: 0, stolenMs: null })
  const frame = (/** @type {string} */ file) => ({ function: 'f', file, line: 1, column: 1 })
  const told = (/** @type {string} */ file) => {
    const facts = new Recorded({ beats: 7, before: at(1000), table: new FrameTable((raw) => raw) })
    facts.begin('1', { startMs: 1000, uncertaintyMs: 0, startup: false, beats: 7 }, 1060)
    const sample = { beats: 7, putAtMs: null, idleMs: 0, inspectorPort: null, late: false, request: null, work: null }
    facts.add({ ...sample, atMs: 1040, questionAtMs: 1040, frames: [frame('/srv/chunks.js')] })
    facts.add({ ...sample, atMs: 1100, questionAtMs: 1100, frames: [frame(file)], awaiting: [{ ...frame('/srv/read.js'), async: true }] })
    const record = facts.whole({ endMs: 1100, durationMs: 100, uncertaintyMs: 0, busyMs: 100 }, at(1100))
    return [record.frame?.file, record.calledFrom?.file]
  }
  assert.deepEqual(told('node:stream/consumers'), [undefined, '/srv/read.js'])
  assert.deepEqual(told('/srv/work.js'), ['/srv/work.js', undefined])
})

test('a CPU that the hypervisor took while the thread slept in a call is not part of its waiting', () => {
  const at = (/** @type {number} */ atMs, stolenMs = 0) => ({ atMs, cpuMs: 0, runQueueMs: 0, throttledMs: 0, stolenMs })
  const partsOf = (/** @type {number} */ share) => {
    const waits = { within: () => ({ call: 'epoll_wait', target: null, text: 'epoll_wait', share }), lookIfDue: () => {} }
    const facts = new Recorded({ before: at(1000), surroundings: { ...surroundings, waits } })
    facts.begin('1', { startMs: 1000, uncertaintyMs: 0, startup: false, beats: 1 }, 1060)
    facts.addReading(at(1060))
    facts.addReading(at(1190, 100))
    const { parts } = facts.whole({ endMs: 1200, durationMs: 200, uncertaintyMs: 0, busyMs: 200 }, at(1200, 100))
    return [parts?.waiting, parts?.asleep]
  }
  assert.deepEqual(partsOf(1), [0, 200])
  // What was stolen after the first look stands for the whole block.
  assert.deepEqual(partsOf(0.1), [142.9, 57.1])
})
