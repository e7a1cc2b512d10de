import { keyOf, sharesOf } from '../../../culprits.js'
import { RANGES } from './address.mjs'
import { endOf } from './culprits.mjs'
import { placeOf, workOf, asideOf, wordsOf } from './labels.mjs'

/**
 * The time that is shown.
 * @param {import('./address.mjs').View} view
 * @param {number} nowMs of the agent, Unix time
 * @param {number} sinceMs all blocks since then are known, Unix time
 */
export function windowOf ({ range }, nowMs, sinceMs) {
  const length = RANGES[range]
  const fromMs = length === null ? sinceMs : Math.max(sinceMs, nowMs - length)
  return { fromMs: Math.min(fromMs, nowMs - 1000), toMs: nowMs }
}

/** @param {any[]} rows @param {{ fromMs: number, toMs: number }} range */
export const inRange = (rows, { fromMs, toMs }) =>
  rows.filter((row) => endOf(row) >= fromMs && Date.parse(row.startedAt) <= toMs)

export const NO_MATCH = 'No block matches the filters above.'

/** Whether only some blocks of the range are to be seen. @param {import('./address.mjs').View} view */
export const isFiltered = ({ culprit, cause, text }) => culprit !== null || cause !== null || text !== ''

/** @param {any} row @param {import('./address.mjs').View} view */
export function isChosen (row, { culprit, cause, text, aside }) {
  if (!aside && asideOf(row) !== null) return false
  if (cause !== null && row.cause !== cause) return false
  if (culprit !== null && !sharesOf([row]).some((share) => keyOf(share) === culprit)) return false
  return text === '' || textOf(row).includes(text.toLowerCase())
}

/** @param {any} row */
function textOf (row) {
  const { id, cause, thread, works = [] } = row
  return [id, placeOf(row), ...[row, ...works].map(workOf), cause, wordsOf(cause), thread].join(' ').toLowerCase()
}

/**
 * The same choice as a query for the endpoint, which cannot search text and does not fold blocks away.
 * @param {import('./address.mjs').View} view
 * @param {any} culprit the chosen one, with its frame
 * @param {{ fromMs: number, toMs: number }} bounds
 */
export function queryOf ({ span, range, cause }, culprit, { fromMs, toMs }) {
  const isBounded = span !== null || RANGES[range] !== null
  const bounds = isBounded ? { from: `${Math.floor(fromMs)}`, to: `${Math.ceil(toMs)}` } : {}
  const frame = culprit?.frame
  return new URLSearchParams({
    ...bounds,
    ...cause !== null && { cause },
    ...frame && { file: frame.file ?? '', function: frame.function ?? '' },
    ...frame?.function === null && { line: `${frame.line}` }
  })
}
