'use strict'

const { count, counted, figure } = require('../harness/report/format')

/** @typedef {import('../harness/interface').Cell} Cell */

/** @param {Cell} cell @param {string} key @param {string} [unit] */
const of = ({ extra }, key, unit = ' %') => `${Number.isInteger(extra[key].median) ? extra[key].median : figure(extra[key].median)}${unit}`

/** Of so many blocks. @param {Cell} cell */
const found = ({ median, params }) => count(Number(median) / 100 * Number(params.blocks))

/** @param {Cell} cell how many it made up, or blamed on the application */
const madeUp = ({ extra }) => (extra.falsePositives?.median ?? 0) + (extra.blamedInTraps?.median ?? 0)

/**
 * Who sees which block? Counts, each contestant's own.
 * @param {import('../harness/interface').Document} document
 */
exports.verdict = ({ cells }) => {
  const [generated] = cells.filter(({ extra }) => extra.programs !== undefined)
  if (generated !== undefined) return ofGenerated(generated)
  const [best, ...others] = cells.filter(({ median }) => median !== null)
    .sort((a, b) => Number(b.median) - Number(a.median) || madeUp(a) - madeUp(b))
  if (best === undefined) return null
  const list = others.map((cell) => `${cell.variant} ${found(cell)}`).join(', ')
  return `Of ${counted(Number(best.params.blocks), 'block')} ${best.variant} reports ${found(best)}${list === '' ? '' : `; ${list}`}. Where nothing of the application's blocked, ${best.variant} reports ${counted(madeUp(best), 'block')}.`
}

/** @param {Cell} cell of --generated */
const ofGenerated = (cell) =>
  `In ${of(cell, 'judged', '')} blocks of ${counted(cell.extra.programs.median, 'program')} that nobody chose, the line is certain and wrong in ${of(cell, 'wrongLine')}, right in ${of(cell, 'line')} and certain and right in ${of(cell, 'exactLine')}. The function is right in ${of(cell, 'function')}, the cause in ${of(cell, 'cause')}, the package in ${of(cell, 'package')} and the request or job in ${of(cell, 'request')}.`

/** What the cells say in sentences. @param {import('../harness/interface').Document} document */
exports.findings = ({ cells }) => {
  const measured = cells.filter(({ median, extra }) => median !== null && extra.programs === undefined)
  const missing = cells.filter(({ skipped }) => skipped !== null).map(({ variant, skipped }) => `${variant} (${skipped})`)
  return [
    ...measured.map((cell) => {
      const { variant, median, params, extra } = cell
      const told = [
        extra.function && `the function in ${of(cell, 'function')} of those`,
        extra.line && `the line in ${of(cell, 'line')}`,
        extra.lineOfJs && `the line of JavaScript in ${of(cell, 'lineOfJs')}`,
        extra.request && `the request in ${of(cell, 'request')}`,
        extra.cause && `the cause in ${of(cell, 'cause')}`
      ].filter(Boolean)
      return `${variant} reports ${figure(median)} % of ${params.blocks} blocks, ${of(cell, 'whileBlocked')} while they last${told.length > 0 ? `; it has ${told.join(', ')}` : ', and says nothing of where or why'}${extra.durationError ? `; durations are off by ${of(cell, 'durationError')} (median; ${of(cell, 'durationErrorMax')} at most)` : ''}.`
    }),
    ...measured.filter(({ extra }) => extra.falsePositives.max > 0 || (extra.blamedInTraps?.max ?? 0) > 0).map((cell) =>
      `${cell.variant} reports ${counted(cell.extra.falsePositives.median, 'block')} where there are none${cell.extra.blamedInTraps ? `, and ${count(cell.extra.blamedInTraps.median)} that a taken or stopped machine made, as if they were the application's` : ''}.`),
    ...(missing.length === 0 ? [] : [`${missing.length} not measured: ${missing.join('; ')}.`])
  ]
}
