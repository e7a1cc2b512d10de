'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { judge } = require('../../../scenarios/soak/judge')
const { match } = require('../../../scenarios/soak/match')
const { planBlocks } = require('../../../scenarios/soak/plan')
const { renderSoak } = require('../../../scenarios/soak/report')
const { countBackward } = require('../../../scenarios/soak/scrape')
const { makeRecord } = require('../../support/record')
const MB = 1024 * 1024
const START_MS = Date.parse('2026-11-21T10:00:00.000Z')

/** @param {number} atMs @param {number} ms */
const made = (atMs, ms) => ({ kind: 'buildReport', startedAt: START_MS + atMs, ms })

/** @param {number} atMs @param {number} ms @param {Partial<import('../../../lib/types').BlockRecord>} [differences] */
const recorded = (atMs, ms, differences) => makeRecord({
  id: `1-${atMs}`, startedAt: new Date(START_MS + atMs).toISOString(), durationMs: ms, cause: 'js', frame: { function: 'buildReport', file: '/a.js', line: 1, column: 1, exact: true }, ...differences
})

test('each block finds its own record, and no record tells two blocks', () => {
  const [first, second, third] = [made(0, 100), made(500, 200), made(1000, 300)]
  const near = recorded(498, 205)
  const { pairs, missed, others } = match([first, second, third], [recorded(990, 315), near, recorded(700, 100)])
  assert.deepEqual(pairs.map(({ truth }) => truth), [second, third])
  assert.equal(pairs[0].record, near)
  assert.deepEqual(missed, [first])
  assert.equal(others.length, 1)
  assert.equal(match([made(0, 100), made(100, 100)], [recorded(0, 210)]).missed.length, 1)
})

test('blocks are the same for one seed, long enough to count and far enough apart to be two', () => {
  const take = (/** @type {number} */ seed) => {
    const blocks = planBlocks(seed)
    return Array.from({ length: 500 }, () => blocks.next().value)
  }
  assert.deepEqual(take(1), take(1))
  assert.notDeepEqual(take(1), take(2))
  for (const { pauseMs, ms } of take(1)) assert.ok(pauseMs >= 300 && pauseMs <= 2000 && ms >= 80 && ms <= 880, `${pauseMs} ${ms}`)
  assert.equal(new Set(take(1).map(({ kind, where }) => `${kind} ${where}`)).size, 7)
})

/** @returns {import('../../../scenarios/soak/judge').Seen} a run in which nothing is wrong */
const sound = () => ({
  points: Array.from({ length: 40 }, (_, i) => ({
    atS: i * 15,
    watched: { residentBytes: 110 * MB, heapBytes: 50 * MB, heapUsedBytes: (22 + i % 9) * MB, files: 50 },
    bare: { residentBytes: 80 * MB, heapBytes: 40 * MB, heapUsedBytes: (20 + i % 7) * MB, files: 33 },
    made: i,
    counted: i
  })),
  main: match([made(0, 100), made(500, 100)], [recorded(0, 102), recorded(500, 101)]),
  thread: match([made(0, 100)], [recorded(0, 100)]),
  requests: { answered: 1000, counted: 998, dropped: 2, failed: 0 },
  blocks: { counted: 2, written: 2, lost: 0, secondsCounted: 0.203 },
  backward: 0,
  cpuSeconds: { watched: 11, bare: 10 }
})

test('a run keeps every bound, and each fault of a run breaks its own', () => {
  const broken = (/** @type {(seen: import('../../../scenarios/soak/judge').Seen) => void} */ harm) => {
    const seen = sound()
    harm(seen)
    return judge(seen).filter(({ isMet }) => isMet === false).map(({ what }) => what)
  }
  assert.deepEqual(broken(() => {}), [])
  assert.deepEqual(broken(({ main }) => main.missed.push(made(900, 1))), ['blocks made / with a record'])
  assert.deepEqual(broken(({ thread }) => thread.missed.push(made(900, 100))), ['blocks of the worker thread made / with a record'])
  assert.deepEqual(broken(({ main }) => main.others.push(recorded(800, 1), recorded(900, 1), recorded(950, 1))), ['records of blocks that were not made, blamed on code'])
  assert.deepEqual(broken(({ main }) => main.others.push(recorded(800, 1, { cause: 'starved' }), recorded(900, 1, { cause: 'suspended' }))), [])
  assert.deepEqual(broken(({ blocks }) => blocks.written--), ['counted by the metric / written to dir / lost by number'])
  assert.deepEqual(broken(({ blocks }) => { blocks.secondsCounted = 0.19 }), ['blocked time counted / made'])
  assert.deepEqual(broken(({ main }) => { for (const { record } of main.pairs) record.durationMs += 30 }), ['duration off by, median / largest'])
  assert.deepEqual(broken(({ main }) => { for (const { record } of main.pairs) record.startedAt = new Date(Date.parse(record.startedAt) + 30).toISOString() }), ['start off by, median / largest'])
  assert.deepEqual(broken(({ main }) => { for (const { record } of main.pairs) record.frame = null }), ['of the others, the function is right'])
  assert.deepEqual(broken(({ main }) => { for (const { record } of main.pairs) record.cause = 'gc' }), ['of the others, the cause is right'])
  assert.deepEqual(broken(({ requests }) => requests.counted--), ['requests answered / counted / lost by number'])
  assert.deepEqual(broken(({ requests }) => requests.failed++), ['requests that failed'])
  assert.deepEqual(broken((seen) => seen.backward++), ['counters that went backwards'])
  /** @param {(watched: import('../../../scenarios/soak/judge').Look, i: number) => void} harm */
  const harmed = (harm) => broken(({ points }) => points.forEach(({ watched }, i) => harm(watched, i)))
  assert.deepEqual(harmed((watched, i) => { watched.residentBytes += i * MB }), ['growth of that share'])
  assert.deepEqual(harmed((watched) => { watched.residentBytes += 60 * MB }), ['the agent\'s share of memory outside the main thread\'s heap, second / last quarter'])
  assert.deepEqual(harmed((watched, i) => { watched.heapUsedBytes += i * 0.9 * MB }), ['the agent\'s share of that heap, what is left in use, second / last quarter', 'growth of what is left in use'])
  // A heap that V8 has not given back is no memory of the agent.
  assert.deepEqual(harmed((watched, i) => { watched.heapBytes += i * MB; watched.residentBytes += i * MB }), [])
  assert.deepEqual(harmed((watched, i) => { watched.files += i }), ['growth of open files'])
})

test('a counter that shrinks or goes is seen, a gauge may do both', () => {
  const scrape = (/** @type {Record<string, number>} */ values) => new Map(Object.entries(values).map(([name, value]) => [name, { name, labels: '', value }]))
  const before = scrape({ a_total: 2, b_count: 3, c: 5, d_sum: 1 })
  assert.equal(countBackward(before, scrape({ a_total: 2, b_count: 4, d_sum: 1 })), 0)
  assert.equal(countBackward(before, scrape({ a_total: 1, c: 1, d_sum: NaN })), 3)
})

test('the report has every row and draws what was seen', async () => {
  const { points } = sound()
  const html = await renderSoak({ title: 'Soak <of> it', machine: 'here', points, rows: judge(sound()) })
  assert.equal(html.match(/<polyline/g)?.length, 10)
  assert.match(html, /Soak &#60;of&#62; it/)
  assert.doesNotMatch(html, /NaN|undefined|BROKEN/)
})
