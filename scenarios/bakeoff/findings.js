'use strict'

const { figure } = require('../harness/report/format')

/** @typedef {import('../harness/interface').Cell} Cell */

/** @param {Cell} cell @param {string} key @param {string} [unit] */
const of = ({ extra }, key, unit = ' %') => `${Number.isInteger(extra[key].median) ? extra[key].median : figure(extra[key].median)}${unit}`

/** What the cells say in sentences. @param {import('../harness/interface').Document} document */
exports.findings = ({ cells }) => {
  const measured = cells.filter(({ median }) => median !== null)
  const missing = cells.filter(({ skipped }) => skipped !== null).map(({ variant, skipped }) => `${variant} (${skipped})`)
  return [
    ...measured.map((cell) => {
      const { variant, median, params, extra } = cell
      const told = [
        extra.function && `the function in ${of(cell, 'function')} of those`,
        extra.line && `the line in ${of(cell, 'line')}`,
        extra.lineOfJs && `the line of JavaScript in ${of(cell, 'lineOfJs')}`,
        extra.route && `the route in ${of(cell, 'route')}`,
        extra.cause && `the cause in ${of(cell, 'cause')}`
      ].filter(Boolean)
      return `${variant} reports ${figure(median)} % of ${params.blocks} blocks, ${of(cell, 'whileBlocked')} while they last${told.length > 0 ? `; it has ${told.join(', ')}` : ', and says nothing of where or why'}${extra.durationError ? `; durations are off by ${of(cell, 'durationError')} (median; ${of(cell, 'durationErrorMax')} at most)` : ''}.`
    }),
    ...measured.filter(({ extra }) => extra.falsePositives.max > 0 || (extra.blamedInTraps?.max ?? 0) > 0).map((cell) =>
      `${cell.variant} reports ${of(cell, 'falsePositives', '')} blocks where there are none${cell.extra.blamedInTraps ? `, and ${of(cell, 'blamedInTraps', '')} that a taken or stopped machine made, as if they were the application's` : ''}.`),
    ...(missing.length === 0 ? [] : [`${missing.length} not measured: ${missing.join('; ')}.`])
  ]
}
