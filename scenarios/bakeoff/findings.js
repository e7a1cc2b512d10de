'use strict'

const { count, counted, figure } = require('../harness/report/format')

/** @typedef {import('../harness/interface').Cell} Cell */

/** @param {Cell} cell @param {string} key @param {string} [unit] */
const of = ({ extra }, key, unit = '%') => `${Number.isInteger(extra[key].median) ? extra[key].median : figure(extra[key].median)}${unit}`

/** How many blocks were found. @param {Cell} cell */
const found = ({ median, params }) => count(Number(median) / 100 * Number(params.blocks))

/** How many it made up, or blamed on the application. @param {Cell} cell */
const madeUp = ({ extra }) => (extra.falsePositives?.median ?? 0) + (extra.blamedInTraps?.median ?? 0)

/**
 * Who sees which block? Counts, each contestant's own.
 * @param {import('../harness/interface').Document} document
 */
exports.verdict = ({ cells }) => {
  const [generated] = cells.filter(({ extra }) => extra.programs !== undefined)
  if (generated !== undefined) return ofGenerated(generated)
  const [best, next] = cells.filter(({ median }) => median !== null)
    .sort((a, b) => Number(b.median) - Number(a.median) || madeUp(a) - madeUp(b))
  if (best === undefined) return null
  const wrong = `${best.variant} blames the application for ${madeUp(best) === 0 ? 'no block' : counted(madeUp(best), 'block')} that it did not cause.`
  return `${best.variant} reports ${found(best)} of ${counted(Number(best.params.blocks), 'block')}${next === undefined ? '' : `; ${next.variant} is next with ${found(next)}`}. ${wrong}`
}

/** @param {Cell} cell of --generated */
const ofGenerated = (cell) =>
  `In ${of(cell, 'judged', '')} blocks of ${counted(cell.extra.programs.median, 'generated program')}, the line is right in ${of(cell, 'line')}. It is certain but wrong in ${of(cell, 'wrongLine')}.`

/**
 * The results of the cells in sentences. All figures are in the table.
 * @param {import('../harness/interface').Document} document
 */
exports.findings = ({ cells }) => {
  const measured = cells.filter(({ median, extra }) => median !== null && extra.programs === undefined)
  const missing = cells.filter(({ skipped }) => skipped !== null).map(({ variant, skipped }) => `${variant} was not measured: ${skipped}.`)
  return [
    ...measured.map((cell) => {
      const { variant, median, params, extra } = cell
      const line = extra.lineOfJs ?? extra.line
      const detail = line === undefined ? 'It does not report lines.' : `Its line is right in ${of(cell, extra.lineOfJs ? 'lineOfJs' : 'line')} of blocks${extra.lineOfJs ? ' in JavaScript' : ''}.`
      return `${variant} reports ${figure(median)}% of ${params.blocks} blocks, ${of(cell, 'whileBlocked')} during the block. ${detail}`
    }),
    ...measured.flatMap(({ variant, extra: { falsePositives, blamedInTraps } }) => [
      ...(falsePositives.median > 0 ? [`${variant} reports ${counted(falsePositives.median, 'block')} where there are none.`] : []),
      ...((blamedInTraps?.median ?? 0) > 0 ? [`${variant} blames the application for ${counted(blamedInTraps.median, 'block')} of a starved or stopped process.`] : [])
    ]),
    ...missing
  ]
}
