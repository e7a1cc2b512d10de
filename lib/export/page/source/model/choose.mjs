import { RANGES } from './address.mjs'
import { endOf } from './culprits.mjs'

export { isMatch, isShown } from '../../../choose.js'

/**
 * The range that is shown.
 * @param {import('./address.mjs').View} view
 * @param {number} nowMs of the agent, Unix time
 * @param {number} sinceMs all blocks since then are known, Unix time
 */
export function windowOf ({ range }, nowMs, sinceMs) {
  const length = RANGES[range]
  const fromMs = length === null ? sinceMs : Math.max(sinceMs, nowMs - length)
  return { fromMs: Math.min(fromMs, nowMs - 1000), toMs: nowMs }
}

/**
 * All blocks that reach into a range: blocks count as a whole.
 * @param {any[]} rows @param {{ fromMs: number, toMs: number }} range
 */
export const inRange = (rows, { fromMs, toMs }) =>
  rows.filter((row) => endOf(row) >= fromMs && Date.parse(row.startedAt) <= toMs)

export const NO_BLOCK = 'No block to show.'
export const NO_MATCH = 'No block matches the filters above.'

/** Whether only some blocks of the range are to be seen. @param {import('./address.mjs').View} view */
export const isFiltered = ({ culprit, cause, text }) => culprit !== null || cause !== null || text !== ''

/**
 * A view as a query for the endpoint.
 * @param {import('./address.mjs').View} view @param {{ fromMs: number, toMs: number }} bounds
 */
export function queryOf ({ span, range, cause, culprit, text, aside }, { fromMs, toMs }) {
  const isBounded = span !== null || RANGES[range] !== null
  return new URLSearchParams({
    ...isBounded && { from: `${Math.floor(fromMs)}`, to: `${Math.ceil(toMs)}` },
    ...cause !== null && { cause },
    ...culprit !== null && { culprit },
    ...text !== '' && { text },
    ...!aside && { aside: '0' }
  })
}
