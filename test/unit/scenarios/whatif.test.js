'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { arrivalsOf } = require('../../../scenarios/whatif/arrivals')
const { VERDICTS, findings, tables, verdict } = require('../../../scenarios/whatif/findings')
const { applications } = require('../../../scenarios/whatif/server/applications')
const poolTask = require('../../../scenarios/whatif/server/pool-task')
const { summarise } = require('../../../scenarios/harness/measure/stats')
const { makeDocument } = require('../../support/scenario-document')

/** @param {Record<string, number[]>} figures */
const summaries = (figures) =>
  Object.fromEntries(Object.entries(figures).map(([key, values]) => [key, summarise(values)]))
/** Five runs that agree. @param {number} middle */
const around = (middle) => [0.98, 0.99, 1, 1.01, 1.02].map((part) => part * middle)

/** @param {number[]} pool p99 of the route that works, in the pool @param {string} verdict */
function documentOf (pool, verdict) {
  const [cell] = makeDocument().cells
  /** @param {string} variant @param {number[]} samples @param {Record<string, number[]>} extra */
  const make = (variant, samples, extra) =>
    ({ ...cell, variant, params: { application: 'score' }, unit: 'ms', ...summarise(samples), extra: summaries(extra) })
  const replayed = { replayedP99Ms: [95], replayedHealthP99Ms: [50] }
  const costs = { cloningMs: [0.1], workMs: [10] }
  const foreseen = { ...replayed, ...costs, healthP99Ms: [2], verdict: [VERDICTS.indexOf(verdict)] }
  return {
    ...makeDocument(),
    cells: [
      make('on-loop', around(100), { healthP99Ms: [60] }),
      make('predicted', around(50), foreseen),
      make('in-pool', pool, { healthP99Ms: [4] })
    ]
  }
}

test('the error is what was predicted against what was measured, with the verdict of both', () => {
  const document = documentOf(around(40), 'pays')
  const [score] = findings(document)
  assert.match(`${verdict(document)}`, /verdict was right for 1 of 1 applications; the p99 that it predicted was off by 25 % in the middle case and by 50 % in the worst/)
  assert.match(score, /^score: 0\.100 ms of cloning for 10\.0 ms of work, predicted "pays", measured "pays"; p99 of GET \/work 100 ms on the loop, 50\.0 ms predicted, 40\.0 ms in the pool; .*60\.0 ms on the loop, 2\.00 ms predicted, 4\.00 ms/)
  assert.deepEqual(tables(document)[0].rows, [
    ['score', 'GET /work', '100', '95.0', '50.0', '40.0', '+25 %', 'pays', 'pays'],
    ['score', 'GET /health', '60.0', '50.0', '2.00', '4.00', '−50 %', '', '']
  ])
  assert.match(`${verdict(documentOf(around(400), 'pays'))}`, /right for 0 of 1/)
})

test('runs that differ among themselves are no measure of an error, and a part of the cells is no comparison', () => {
  const found = findings(documentOf([40, 45, 300], 'pays'))
  assert.equal(verdict(documentOf([40, 45, 300], 'pays')), null)
  assert.match(found[0], /^Of score the runs differ more than twofold among themselves/)
  assert.ok(!found.some((sentence) => /was right|off by/.test(sentence)), found.join('\n'))
  const document = documentOf(around(40), 'pays')
  assert.match(findings({ ...document, cells: document.cells.slice(0, 2) })[0], /nothing to compare/)
})

test('both versions get the same arrivals at the rate that is said, and come to the same answers', () => {
  const arrivals = arrivalsOf(16, 100)
  assert.deepEqual(arrivalsOf(16, 100), arrivals)
  const counts = ['/work', '/health'].map((route) => arrivals.filter((each) => each.route === route).length)
  assert.ok(Math.abs(counts[0] / 1600 - 1) < 0.1 && Math.abs(counts[1] / 4000 - 1) < 0.1, `${counts}`)
  for (const [name, { run, args, answer }] of Object.entries(applications)) {
    const answers = [0, 1].map((kind) => answer(run(...args(kind, 1000))))
    assert.notEqual(answers[0], answers[1], `${name}: an oracle that takes one answer for another`)
    assert.equal(answer(structuredClone(poolTask({ name, args: structuredClone(args(1, 1000)) }))), answers[1])
  }
})
