'use strict'

const { keyOf, sharesOf } = require('./culprits')
const { asideOf, placeOf, wordsOf, workOf } = require('./labels')

/**
 * Whether a view shows a block: the page below its filters, the endpoint in the flame graph. Culprits are only right
 * for blocks that share their names (withSharedNames).
 * @param {any} row a record, or a row of the page
 * @param {object} view
 * @param {string | null} view.culprit key of a row of the table
 * @param {string | null} view.cause
 * @param {string} view.text a part of the id, place, work, cause or thread
 * @param {boolean} view.aside whether blocks that are not the application's fault are shown, too
 */
exports.isShown = (row, view) => exports.isMatch(row, view) && (view.aside || asideOf(row) === null)

/** The same for all blocks. @param {any} row @param {Omit<Parameters<typeof exports.isShown>[1], 'aside'>} view */
exports.isMatch = (row, { culprit, cause, text }) => {
  if (cause !== null && row.cause !== cause) return false
  if (culprit !== null && !sharesOf([row]).some((share) => keyOf(share) === culprit)) return false
  return text === '' || textOf(row).includes(text.toLowerCase())
}

/** @param {any} row */
function textOf (row) {
  const { id, cause, change, thread, works = [] } = row
  const names = [placeOf(row), change?.text, ...[row, ...works].map(workOf)]
  return [id, ...names, cause, wordsOf(cause), thread].join(' ').toLowerCase()
}
