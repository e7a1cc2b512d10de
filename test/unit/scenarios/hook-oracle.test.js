'use strict'

// The scenario hook-calls: when its oracle goes red, and what its findings say. Nothing is called here.
const test = require('node:test')
const assert = require('node:assert/strict')
const { hasCeiling, isBelowCeiling, isPossible, isSlow, leastMs } = require('../../../scenarios/hook-calls/oracle')
const { findings, tables } = require('../../../scenarios/hook-calls/report/findings')
const { makeHook } = require('../../../scenarios/hook-calls/threads/hook')
const { scenario } = require('../../../scenarios/hook-calls/scenario')
const { summarise } = require('../../../scenarios/harness/measure/stats')
const { around } = require('../../support/scenario-document')

const ROW = { consumeMs: 3, count: 333, idLength: 30, workers: 2 }
const LEAST_MS = 167 * 3

test('a run takes at least the share of its busiest worker', () => {
  assert.equal(leastMs(ROW), LEAST_MS)
  assert.equal(leastMs({ ...ROW, workers: 0 }), 333 * 3, 'the main thread alone')
  assert.equal(leastMs({ ...ROW, workers: 16 }, 2), LEAST_MS, 'cores that do the work')
  assert.equal(leastMs({ ...ROW, count: 0 }), 0)
  assert.equal(leastMs({ ...ROW, count: 20, uneven: 10 }), 19 * 3, '18 and two that take ten times as long')
  assert.equal(leastMs({ ...ROW, count: 2, workers: 4, uneven: 10 }), 30, 'the longest hook')
  assert.ok(isPossible(LEAST_MS, ROW))
  assert.ok(!isPossible(LEAST_MS - 1, ROW), 'a hook was not called')
})

test('the oracle goes red if no run is within 2% of the floor, unless the machine took the time', () => {
  const run = (/** @type {number} */ tookMs, waitedMs = 0) => ({ tookMs, waitedMs })
  assert.ok(isBelowCeiling([run(LEAST_MS * 1.019)], ROW))
  assert.ok(!isBelowCeiling([run(LEAST_MS * 1.021)], ROW))
  assert.ok(!isBelowCeiling(Array(6).fill(run(LEAST_MS * 1.5, 10)), ROW), 'slow by itself')
  assert.ok(isBelowCeiling([run(900), run(LEAST_MS * 1.01), run(700)], ROW), 'one was not disturbed')
  assert.ok(isBelowCeiling([run(900, 400)], ROW), 'its thread had no core')
})

test('the ceiling is that of direct with short ids while each worker has a core', () => {
  assert.ok(hasCeiling('direct', ROW, 2))
  assert.ok(!hasCeiling('direct', { ...ROW, workers: 4 }, 2))
  assert.ok(!hasCeiling('direct', { ...ROW, consumeMs: 0 }, 2))
  assert.ok(!hasCeiling('direct', { ...ROW, idLength: 10000 }, 2))
  assert.ok(!hasCeiling('indirect-fifo', ROW, 2))
})

test('one uneven hook in ten takes so many times as long', () => {
  assert.equal(Array.from({ length: 200 }, (_, i) => `x${i}`).filter(isSlow).length, 20)
  const hook = makeHook({ consumeMs: 1, stepsPerMs: null, asyncMs: 0, uneven: 20 })
  const durationMs = (/** @type {string} */ id) => {
    const fromMs = performance.now()
    assert.equal(hook(id), `resolved:${id}`)
    return performance.now() - fromMs
  }
  assert.ok(durationMs('x10') >= 20)
  assert.ok(Math.min(...['x1', 'x2', 'x3'].map(durationMs)) < 20)
})

test('Rolldown\'s design has at most eight workers; every mode but faithful has it, and every variant its diagram', () => {
  const list = (/** @type {string} */ mode) =>
    scenario.plan(/** @type {any} */ ({ mode, isListing: true, options: {} }))
  for (const mode of /** @type {const} */ (['quick', 'default', 'full'])) {
    const cells = list(mode).filter(({ variant }) => variant === 'direct-channel')
    assert.ok(cells.length > 0, mode)
    assert.ok(cells.every(({ params }) => Number(params.workers) <= 8), mode)
    assert.ok(list(mode).some(({ variant }) => variant === 'direct-least-loaded'), mode)
  }
  const variants = new Set(list('full').map(({ variant }) => variant))
  assert.equal(scenario.diagrams?.length, variants.size)
})

/** @param {string} variant @param {object} params @param {number} median @param {Record<string, number>} [extra] */
const cellOf = (variant, params, median, extra = {}) => /** @type {any} */ ({
  variant,
  params: { consumeMs: 5, count: 4, idLength: 30, workers: 4, ...params },
  ...summarise(around(median)),
  extra: Object.fromEntries(Object.entries(extra).map(([key, value]) => [key, { median: value }])),
  caller: { delayMaxMs: 1.5 },
  skipped: null
})

test('tables have what calling costs, who pays and whether the main thread stays free; findings compare', () => {
  const rows = (/** @type {any[]} */ ...cells) => tables(/** @type {any} */ ({ cells })).flatMap(({ title, head, rows }) => rows.map((row) => [title, ...row.map((text, i) => `${head[i]} ${text}`)].join(' | '))).join('\n')
  const say = (/** @type {any[]} */ ...cells) => findings(/** @type {any} */ ({ cells })).join('\n')
  const nothing = rows(cellOf('direct', { consumeMs: 0, count: 1000 }, 2, { mainCpuMs: 0.7, initMs: 60, initCpuMs: 5 }), cellOf('main', { consumeMs: 0, count: 1000, workers: 0 }, 1, { mainCpuMs: 0.9, initMs: 1 }))
  assert.match(nothing, /^1,000 calls of a hook that does nothing, ms by number of workers \(W\) \| variant direct \| W=4 2\.00 \| no worker $/m)
  assert.match(nothing, /^The same: CPU time of the main thread, ms \| variant direct \| W=4 0\.700 /m)
  assert.match(nothing, /^The same: largest delay of the main thread's event loop, ms \| variant direct \| W=4 1\.50 /m)
  const consuming = [cellOf('direct-depth', {}, 20, { overLeast: 2 }), cellOf('direct-least-loaded', {}, 10.1, { overLeast: 1.01 })]
  assert.match(rows(...consuming), /^Hooks that work \| calls 4 calls of 5 ms \| variant direct-depth \| workers 4 \| ms 20\.0 \| over the least possible 2\.00 \| largest loop delay, ms 1\.50$/m)
  assert.match(say(...consuming), /^4 calls of 5 ms, W=4: Handing calls to the last free worker takes 1\.98 times as long as handing calls to the least loaded worker \(20\.0 against 10\.1 ms; .*\)\.$/)
  assert.match(say(cellOf('direct-depth', { uneven: 10 }, 20), cellOf('direct-least-loaded', { uneven: 10 }, 20.1)), /one in ten 10 times as long, W=4: No difference that matters between/)
  assert.match(say({ ...cellOf('direct', {}, 1), median: null, skipped: 'needs cargo' }), /not measured|Nothing was measured: needs cargo/)
})
