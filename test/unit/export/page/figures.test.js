'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { culpritsOf: topOf, topTable } = require('../../../../lib/cli/blocks/top')
const { isMatch, isShown } = require('../../../../lib/export/choose')
const { FlameTree } = require('../../../../lib/export/profiles/flame-tree')
const { chooseBy } = require('../../../../lib/export/profiles/query-filter')
const { StackTable } = require('../../../../lib/export/profiles/stack-table')
const { makeRecord } = require('../../../support/record')

const MODEL = '../../../../lib/export/page/source/model'
const START = Date.parse('2026-11-21T10:00:00.000Z')
const RANGE = { fromMs: START, toMs: START + 60_000 }

const NO_PARTS = { js: 0, native: 0, gc: 0, asleep: 0, waiting: 0, stopped: 0, unexplained: 0 }
/** @param {string} name */
const frame = (name) => ({ function: name, file: `/srv/app/${name}.js`, line: 1, column: 1, exact: true })

/**
 * A block by its second, with stacks of its wall time, as samples are.
 * @param {number} second @param {string | null} name @param {Partial<typeof NO_PARTS>} parts @param {any} [more]
 */
function block (second, name, parts, more = {}) {
  const durationMs = Object.values(parts).reduce((sum, ms) => sum + ms, 0)
  const frames = name === null ? [] : [frame(name), frame('main')]
  return makeRecord({
    id: `7-${second}`,
    startedAt: new Date(START + second * 1000).toISOString(),
    durationMs,
    parts: { ...NO_PARTS, ...parts },
    frame: name === null ? null : frame(name),
    stacks: name === null ? [] : [{ count: 9, weightMs: durationMs * 0.9, frames }],
    ...more
  })
}

const STARVED = { cause: 'starved', excused: true }
const WORKER = { threadId: 3, thread: 'resize' }

/** One screen of a recording, with each kind of block, newest first. */
const RECORDS = [
  block(1, 'score', { js: 400 }),
  block(3, 'score', { js: 2000, gc: 100, waiting: 4000 }, { cause: 'starved', excused: false }),
  block(9, 'search', { native: 900, unexplained: 30, waiting: 200 }, { cause: 'native' }),
  block(12, 'boot', { js: 6000 }, { startup: true }),
  block(20, 'score', { js: 20, waiting: 80 }, STARVED),
  block(22, null, { stopped: 700 }, { cause: 'suspended', excused: true }),
  block(24, 'migrate', { js: 300, waiting: 100 }, { allowed: 'migration' }),
  block(30, 'blur', { js: 1500, waiting: 500 }, WORKER),
  block(31, 'blur', { waiting: 800 }, { ...WORKER, ...STARVED }),
  block(40, null, { unexplained: 120 }, { cause: 'unknown', stacks: [], samples: 0 }),
  block(-1, 'search', { js: 2500 }),
  block(58, 'search', { js: 3000, waiting: 40 }, { ongoing: true })
].reverse()

/** @param {{ durationMs: number }[]} rows */
const msOf = (rows) => rows.reduce((sum, { durationMs }) => sum + durationMs, 0)
/** @param {any} expected @param {number} actual @param {string} what */
const isNear = (expected, actual, what) => assert.ok(Math.abs(expected - actual) < 1, `${what}: ${actual}, not ${expected}`)

/** @param {any} differences of the view */
async function screenOf (differences) {
  const { START: start } = await import(`${MODEL}/address.mjs`)
  const { inRange, queryOf } = await import(`${MODEL}/choose.mjs`)
  const { culpritsOf, threadsOf } = await import(`${MODEL}/culprits.mjs`)
  const { asideNote, sumOf, verdictOf } = await import(`${MODEL}/verdict.mjs`)
  const { isMain } = await import(`${MODEL}/strip.mjs`)
  const view = { ...start, ...differences }
  /** @type {typeof RECORDS} */
  const matching = inRange(RECORDS, RANGE).filter((/** @type {any} */ row) => isMatch(row, view))
  const listed = matching.filter((row) => isShown(row, view))
  const chosen = chooseBy(RECORDS, queryOf(view, RANGE))
  const flameRecords = chosen.error === undefined ? chosen.records : []
  const tree = new FlameTree()
  const table = new StackTable()
  for (const record of flameRecords) {
    tree.add(record)
    table.add(record)
  }
  return {
    matching,
    listed,
    flameRecords,
    flame: tree.toJSON(),
    table,
    culprits: /** @type {any[]} */ (culpritsOf(listed, RANGE, () => 1)),
    threads: /** @type {any[]} */ (threadsOf(matching, [], RANGE)),
    loop: sumOf(matching.filter(isMain), RANGE),
    verdict: verdictOf(matching.filter(isMain), RANGE, { thresholdMs: 50, loops: 1 }),
    note: asideNote(matching, view.aside)
  }
}

const VIEWS = [{}, { aside: true }, { text: 'score' }, { text: 'app/search', aside: true }, { cause: 'starved', aside: true },
  { culprit: '["score","/srv/app/score.js"]' }, { culprit: '["starved"]', aside: true }]

for (const view of VIEWS) {
  test(`list, culprits, flame graph and profile add up to the same time: ${JSON.stringify(view)}`, async () => {
    const { listed, flameRecords, flame, table, culprits } = await screenOf(view)
    assert.deepEqual(flameRecords.map(({ id }) => id), listed.map(({ id }) => id))
    assert.ok(listed.length > 0)
    const ms = msOf(listed)
    const sum = (/** @type {string} */ key) => msOf(culprits.map((row) => ({ durationMs: row[key] })))
    isNear(ms, sum('totalMs'), 'culprits')
    isNear(1000, sum('share') * 1000, 'shares')
    assert.equal(sum('count'), listed.length, 'each block is counted in one row')
    assert.equal(sum('waited'), listed.length, 'and who waited for it')
    for (const { bins, totalMs } of culprits) {
      isNear(totalMs, msOf(bins.map((/** @type {number} */ ms) => ({ durationMs: ms }))), 'sparkline')
    }
    isNear(ms, flame.value, 'flame graph')
    isNear(ms, table.totalMs, 'profile')
  })
}

test('a function has as much time in the flame graph as among the culprits, and waiting for a CPU a bar of its own', async () => {
  const { flame, culprits } = await screenOf({})
  const own = (/** @type {string} */ key) => culprits.find((each) => each.key === key).totalMs
  const [main] = flame.children.filter(({ name }) => name.startsWith('main '))
  const score = main.children.find(({ name }) => name.startsWith('score '))
  isNear(own('["score","/srv/app/score.js"]') * 0.9, Number(score?.value), 'a tenth of it is not sampled')
  assert.ok(!main.children.some(({ name }) => name.startsWith('boot ')), 'what is not shown is not in the graph')
  const waiting = flame.children.find(({ name }) => name === 'waiting for a CPU')
  isNear(own('["starved"]'), Number(waiting?.value), 'waiting')
  assert.equal(waiting?.cause, 'starved', 'it has no colour of code')
})

test('the longest block of a culprit is a figure of the list', async () => {
  const { sharesIn } = await import(`${MODEL}/labels.mjs`)
  const { duration } = await import('../../../../lib/export/page/source/format.mjs')
  const { culprits, listed } = await screenOf({})
  const figures = listed.map((row) => `${duration(row.durationMs)} ${sharesIn(row)}`).join('\n')
  for (const { longestMs, place } of culprits) {
    assert.ok(figures.includes(duration(longestMs)), `${place}: ${duration(longestMs)}\n${figures}`)
  }
  assert.match(figures, /^6\.1 s JavaScript 2\.1 s, waiting for a CPU 4\.0 s$/m)
})

test('the verdict is of all blocks of the loop: those that are shown, and those that the note counts', async () => {
  for (const view of VIEWS) {
    const { matching, listed, loop, note, threads } = await screenOf(view)
    const ofThreads = matching.filter(({ threadId }) => threadId > 0)
    assert.equal(loop.count, matching.length - ofThreads.length)
    isNear(loop.blockedMs, msOf(matching) - msOf(ofThreads), 'verdict')
    assert.deepEqual(threads.map(({ count }) => count), ofThreads.length > 0 ? [ofThreads.length] : [])
    if (note === '') {
      assert.equal(matching.length, listed.length)
      continue
    }
    const [below, ...kinds] = [...note.matchAll(/(\d+) blocks? of/g)].map(([, count]) => Number(count))
    assert.equal(below, listed.length)
    const hidden = kinds.reduce((sum, count) => sum + count, 0)
    if (!(/** @type {any} */ (view).aside)) assert.equal(below + hidden, matching.length)
  }
  const { verdict, loop, culprits } = await screenOf({ aside: true })
  assert.match(verdict, /, 10 times\./)
  const [, share] = /(\d+)% was not your code/.exec(verdict) ?? []
  assert.equal(Number(share), Math.round(loop.excusedMs / loop.blockedMs * 100))
  const excused = culprits.filter(({ cause }) => cause === 'starved' || cause === 'suspended')
  assert.ok(loop.excusedMs <= msOf(excused.map(({ totalMs }) => ({ durationMs: totalMs }))), 'with that of threads')
})

test('the columns of blocks --top add up to its first line', () => {
  const main = RECORDS.filter(({ threadId }) => threadId === 0)
  const rows = topOf(main)
  assert.equal(rows.reduce((sum, { count }) => sum + count, 0), main.length)
  isNear(msOf(main), rows.reduce((sum, { totalMs }) => sum + totalMs, 0), 'total')
  assert.match(topTable(RECORDS), /^10 blocks, /)
})
