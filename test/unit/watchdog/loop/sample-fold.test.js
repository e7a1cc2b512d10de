'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { ofMost, workIn } = require('../../../../lib/explain/fold')
const { Fold, STACKS } = require('../../../../lib/watchdog/loop/sample-fold')

/** @typedef {import('../../../../lib/types').Frame} Frame */

/** `name@file:line`, file and line optional. @param {string} text @returns {Frame} */
function frame (text) {
  const [, name, file, line] = /** @type {RegExpExecArray} */ (/^([^@]*)(?:@(.*?)(?::(\d+))?)?$/.exec(text))
  return { function: name || null, file: file ?? null, line: line ? Number(line) : null, column: line ? 1 : null }
}

/** @param {number} id @returns {import('../../../../lib/types').RequestContext} */
const request = (id) => /** @type {any} */ ({ id, method: 'GET', path: `/${id}`, startedAtMs: id })

test('equal stacks are folded into one with their time and its late part; a different line is another stack', () => {
  const fold = new Fold()
  for (const [weightMs, late, line] of /** @type {[number, boolean, number][]} */ ([
    [10, false, 41],
    [20, true, 41],
    [5, false, 42],
    [7, false, 41]
  ])) {
    fold.add({
      weightMs,
      late,
      request: null,
      frames: [frame(`report@/srv/report.js:${line}`), frame('handle@/srv/server.js:9')]
    })
  }
  assert.equal(fold.samples, 4)
  assert.deepEqual(fold.stacks.map(({ works, ...stack }) => stack), [
    { count: 3, weightMs: 37, lateMs: 20, frames: [frame('report@/srv/report.js:41'), frame('handle@/srv/server.js:9')] },
    { count: 1, weightMs: 5, lateMs: 0, frames: [frame('report@/srv/report.js:42'), frame('handle@/srv/server.js:9')] }
  ])
})

test('stacks come heaviest first, however often they were seen', () => {
  const fold = new Fold()
  for (let i = 0; i < 5; i++) fold.add({ weightMs: 1, late: false, request: null, frames: [frame('often@/a.js:1')] })
  fold.add({ weightMs: 100, late: false, request: null, frames: [frame('once@/a.js:2')] })
  assert.deepEqual(fold.stacks.map(({ frames }) => frames[0].function), ['once', 'often'])
})

test('an endless block of ever new stacks keeps 40 of them, and the time and work of the rest', () => {
  const fold = new Fold()
  for (let i = 0; i < 1000; i++) fold.add({ weightMs: 1, late: false, request: i < 40 ? null : request(7), frames: [frame(`f${i}@/a.js:${i + 1}`)] })
  assert.equal(STACKS, 40)
  assert.equal(fold.stacks.length, 41)
  const works = [{ work: null, request: request(7), weightMs: 960 }]
  assert.deepEqual(fold.stacks.at(-1), { count: 0, weightMs: 960, lateMs: 0, frames: [], works })
  assert.equal(workIn(fold.stacks).request?.id, 7, 'it had most of the block')
  assert.equal(fold.samples, 1000)
  fold.add({ weightMs: 50, late: false, request: null, frames: [frame('f3@/a.js:4')] })
  assert.deepEqual([fold.stacks[0].count, fold.stacks[0].weightMs], [2, 51])
})

test('work is in doubt if it was for half of its time, and doubtful work does not count as a request', () => {
  const doubtful = { ...request(1), exact: false, among: 2 }
  const seen = (/** @type {[number, any][]} */ samples) => {
    const fold = new Fold()
    for (const [weightMs, each] of samples) fold.add({ weightMs, late: false, request: each, frames: [] })
    const { request } = workIn(fold.stacks)
    return [request?.exact, request?.among, fold.requests.distinct]
  }
  assert.deepEqual(seen([[60, doubtful]]), [false, 2, 0])
  assert.deepEqual(seen([[30, doubtful], [30, request(1)]]), [false, 2, 1])
  assert.deepEqual(seen([[29, doubtful], [31, request(1)]]), [undefined, undefined, 1])
  assert.deepEqual(seen([[100, doubtful], [10, request(2)]]), [false, 2, 1])
})

test('the request is the one that ran longest, with how many there were and its share of their time', () => {
  const fold = new Fold()
  for (const [id, weightMs] of [
    [1, 10],
    [2, 40],
    [1, 15],
    [3, 15]
  ]) { fold.add({ weightMs, late: false, request: request(id), frames: [] }) }
  fold.add({ weightMs: 500, late: false, request: null, frames: [] })
  assert.deepEqual(fold.requests, { top: request(2), distinct: 3, topShare: 0.5, longestRunMs: 0 })
})

test('a request that goes on from sample to sample differs from many that take turns; a call that keeps the answer counts', () => {
  const runOf = (/** @type {[number | null, number, number?][]} */ samples) => {
    const fold = new Fold()
    for (const [id, weightMs, heldMs = 0] of samples) {
      fold.add({ weightMs, late: heldMs > 0, heldMs, request: id === null ? null : request(id), frames: [] })
    }
    return fold.requests.longestRunMs
  }
  assert.equal(runOf([[1, 50], [1, 20], [1, 20], [2, 20], [2, 20]]), 40)
  assert.equal(runOf([[1, 20], [2, 20], [1, 20], [2, 20]]), 0)
  assert.equal(runOf([[1, 60, 55], [2, 100, 95], [3, 20]]), 95)
  assert.equal(runOf([[null, 20], [null, 500], [1, 20]]), 0)
  assert.equal(runOf([[1, 20], [null, 20], [1, 20], [1, 5]]), 5)
})

test('without requests there is no top one', () => {
  const fold = new Fold()
  assert.deepEqual(fold.requests, { top: null, distinct: 0, topShare: 1, longestRunMs: 0 })
  fold.add({ weightMs: 500, late: false, request: null, frames: [] })
  assert.deepEqual(fold.requests, { top: null, distinct: 0, topShare: 1, longestRunMs: 0 })
  fold.add({ weightMs: 0, late: false, request: request(1), frames: [] })
  assert.deepEqual(fold.requests, { top: request(1), distinct: 1, topShare: 1, longestRunMs: 0 })
})

test('requests without end take bounded memory', () => {
  const fold = new Fold()
  for (let id = 1; id <= 1000; id++) fold.add({ weightMs: 1, late: false, request: request(id), frames: [] })
  assert.equal(fold.requests.distinct, 40)
})

test('what ran before a work began is not its time: it is that of the sample before, or of nothing that is known', () => {
  const fold = new Fold()
  const timer = [frame('refresh@/a.js:3')]
  fold.add({ weightMs: 50, late: false, request: null, frames: timer })
  fold.add({ weightMs: 45, beforeMs: 25, late: false, request: request(1), frames: [frame('report@/a.js:9')] })
  assert.deepEqual(fold.stacks.map(({ weightMs }) => weightMs), [75, 20])
  const first = new Fold()
  first.add({ weightMs: 50, beforeMs: 40, late: false, request: request(1), frames: timer })
  assert.deepEqual(first.stacks.map(({ count, weightMs }) => [count, weightMs]), [[1, 10], [0, 40]])
})

/** @param {string} id @param {string} [rootId] */
const work = (id, rootId = id) => /** @type {import('../../../../lib/types').WorkContext} */ (/** @type {unknown} */ (
  { kind: 'task', name: `task ${id}`, id, rootId }))

test('the work of a block is the part that ran longest of the whole that ran longest', () => {
  const fold = new Fold()
  const add = (/** @type {string} */ id, /** @type {string} */ rootId, /** @type {number} */ weightMs) =>
    fold.add({ weightMs, late: false, request: null, work: work(id, rootId), frames: [] })
  add('2', '1', 30)
  add('3', '1', 40)
  add('4', '4', 50)
  add('2', '1', 5)
  const before = /** @type {any} */ (workIn(fold.stacks).work)
  add('4', '4', 30)
  assert.deepEqual([before.id, /** @type {any} */ (workIn(fold.stacks).work).id], ['3', '4'])
})

test('a block in no work says so, and one of ever new work keeps what came first', () => {
  const fold = new Fold()
  assert.deepEqual(workIn(fold.stacks), { work: null, request: null })
  for (let i = 0; i < 1000; i++) fold.add({ weightMs: i === 3 ? 2 : 1, late: false, request: null, work: work(`${i}`), frames: [] })
  assert.equal(/** @type {any} */ (workIn(fold.stacks).work).id, '3')
})

test('a work with most of a block keeps only its own time; without one, stacks stay whole', () => {
  const fold = new Fold()
  const add = (/** @type {string} */ id, /** @type {number} */ weightMs) =>
    fold.add({ weightMs, late: true, request: null, work: work(id), frames: [frame('spin@/a.js:1')] })
  add('1', 30)
  add('2', 20)
  const most = () =>
    ofMost(fold.stacks, fold.stacks).map(({ weightMs, lateMs, works }) => [weightMs, lateMs, works.length])
  assert.deepEqual(most(), [[30, 30, 1]])
  add('3', 10)
  assert.deepEqual(most(), [[60, 60, 3]])
})
