'use strict'

const { bars, own } = require('../harness/report/bars')
const { figure } = require('../harness/report/format')
const { weigh } = require('../../lib/cli/diagnose/what-if/verdict')

/** As the prediction has them; the cell's figure is the place in this list. */
const VERDICTS = ['unknown', 'does not pay', 'makes no difference', 'pays']
/** Runs of one cell that differ by more than this factor among themselves are no measure of an error. */
const ALIKE = 2

/** @typedef {import('../harness/interface').Cell} Cell */
/** @typedef {{ application: string, loop: Cell, predicted: Cell, pool: Cell }} Case */

/** @param {Cell[]} cells @returns {Case[]} of which all three are there */
function casesOf (cells) {
  return [...new Set(cells.map(({ params }) => `${params.application}`))].flatMap((application) => {
    const [loop, predicted, pool] = ['on-loop', 'predicted', 'in-pool'].map((variant) => cells.find((cell) =>
      cell.variant === variant && cell.params.application === application && cell.median !== null))
    return loop && predicted && pool ? [{ application, loop, predicted, pool }] : []
  })
}

/** The figures of a cell by route. @type {Record<string, (cell: Cell) => number>} */
const figures = {
  'GET /work': ({ median }) => Number(median),
  'GET /health': ({ extra }) => extra.healthP99Ms.median
}

/** What was predicted is off by this share of what was measured. @param {number} predicted @param {number} measured */
const errorOf = (predicted, measured) => predicted / measured - 1

/** @param {number} error */
const signed = (error) => `${error < 0 ? '−' : '+'}${Math.round(Math.abs(error) * 100)} %`

/** What the change did, by the same rule as the prediction's. @param {Case} of */
const outcome = ({ loop, pool }) =>
  weigh(Object.values(figures).map((read) => ({ beforeMs: read(loop), afterMs: read(pool) })))

/** Whether the runs of what was measured agree well enough to be compared with. @param {Case} of */
const isQuiet = ({ loop, predicted, pool }) =>
  [loop, predicted, pool].every(({ min, max }) => Number(max) <= ALIKE * Number(min))

/** @param {Case} of */
const verdictOf = ({ predicted }) => VERDICTS[Math.round(predicted.extra.verdict.median)] ?? VERDICTS[0]

/** How often it was right, and by how much it was off. @param {import('../harness/interface').Document} document */
exports.verdict = ({ cells, environment }) => {
  const quiet = casesOf(cells).filter(isQuiet)
  if (quiet.length === 0) return null
  const right = quiet.filter((each) => verdictOf(each) === outcome(each))
  const errors = quiet.flatMap((each) => Object.values(figures).map((read) =>
    Math.abs(errorOf(read(each.predicted), read(each.pool))))).sort((a, b) => a - b)
  const [middle, worst] = [errors[Math.floor((errors.length - 1) / 2)], errors[errors.length - 1]]
    .map((error) => `${Math.round(error * 100)} %`)
  return `On this machine (${environment.cores} cores) the prediction's verdict was right for ${right.length} of ${quiet.length} applications; the p99 that it predicted was off by ${middle} in the middle case and by ${worst} in the worst.`
}

/** @param {import('../harness/interface').Document} document */
exports.findings = ({ cells }) => {
  const cases = casesOf(cells)
  if (cases.length === 0) return ['No application was run on the loop, predicted and in a pool: there is nothing to compare.']
  const noisy = cases.filter((each) => !isQuiet(each)).map(({ application }) => application)
  return [
    ...(noisy.length === 0 ? [] : [`Of ${noisy.join(', ')} the runs differ more than twofold among themselves, as on a machine that does other work: they say nothing of the prediction's error.`]),
    ...cases.map((each) => {
      const p99 = Object.entries(figures).map(([route, read]) => `p99 of ${route} ${figure(read(each.loop))} ms on the loop, ${figure(read(each.predicted))} ms predicted, ${figure(read(each.pool))} ms in the pool`)
      return `${each.application}: ${figure(each.predicted.extra.cloningMs.median)} ms of cloning for ${figure(each.predicted.extra.workMs.median)} ms of work, predicted "${verdictOf(each)}", measured ${isQuiet(each) ? `"${outcome(each)}"` : 'too unevenly to tell'}; ${p99.join('; ')}.`
    })
  ]
}

/** @param {import('../harness/interface').Document} document @returns {import('../harness/interface').Comparison[]} */
exports.tables = ({ cells }) => [{
  title: 'Predicted and measured p99, ms (medians of the runs)',
  head: ['application', 'route', 'on the loop', 'its replay', 'predicted', 'in the pool', 'error', 'predicted verdict', 'measured verdict'],
  rows: casesOf(cells).flatMap((each) => Object.entries(figures).map(([route, read], i) => [
    each.application, route, figure(read(each.loop)),
    figure(each.predicted.extra[i === 0 ? 'replayedP99Ms' : 'replayedHealthP99Ms'].median),
    figure(read(each.predicted)), figure(read(each.pool)), signed(errorOf(read(each.predicted), read(each.pool))),
    i === 0 ? verdictOf(each) : '', i === 0 ? isQuiet(each) ? outcome(each) : 'too uneven' : ''
  ])),
  notes: ['The replay serves the recorded requests again without any change: where it is far from what was measured on the loop, so is the prediction.']
}]

/** @param {import('../harness/interface').Document} document @returns {import('../harness/interface').Chart[]} */
exports.charts = ({ cells }) => {
  const groups = (/** @type {(cell: Cell) => import('../harness/interface').Summary | null} */ read) =>
    [...new Set(cells.map(({ params }) => `${params.application}`))].map((label) => ({
      label,
      bars: bars(cells.filter(({ params }) => params.application === label), read)
    }))
  return [
    { title: 'p99 of the route that works', unit: 'ms', note: 'The prediction is right where its bar is as long as that of the pool.', groups: groups(own) },
    { title: 'p99 of a health check beside it', unit: 'ms', note: 'What everybody else waits.', groups: groups((cell) => cell.extra.healthP99Ms ?? null) }
  ].filter((chart) => chart.groups.length > 0)
}
exports.VERDICTS = VERDICTS
