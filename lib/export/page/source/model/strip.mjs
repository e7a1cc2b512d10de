import { excuseOf, isExcused } from '../../../../tables/causes.js'
import { counted, duration } from '../format.mjs'
import { placeOf, workOf } from './labels.mjs'

/** The most important block in progress: that of this process's main loop, else the longest. @param {any[]} ongoing */
export const worstOf = (ongoing) =>
  ongoing.find(isMain) ?? ongoing.toSorted((a, b) => b.durationMs - a.durationMs)[0] ?? null

/** @typedef {{ kind: 'text' | 'code' | 'since' | 'strong', text: string }} Part */

/** @param {any} row */
export function isMain ({ threadId, worker }) {
  return threadId === 0 && worker === null
}

/**
 * `Blocked for 9.5 s in GET /forever, spin shop/idle.js:1, 1 request waiting.` in parts, each with its own style.
 * @param {any} row
 * @param {number} waiting requests other than the block's own
 * @param {string} [recorded] when, in a recording
 * @returns {Part[]}
 */
export function sentenceOf (row, waiting, recorded) {
  const { worker, thread, threadId, cause, frame, durationMs } = row
  const who = [
    worker === null ? '' : `worker ${worker}`, threadId === 0 ? '' : `thread ${thread}`
  ].filter(Boolean).join(', ')
  const subject = recorded ? `${who || 'the loop'} was blocked` : `${who} blocked`.trim()
  /** @type {(words: string) => Part} */
  const text = (words) => ({ kind: 'text', text: words })
  /** @type {(words: string) => Part} */
  const code = (words) => ({ kind: 'code', text: words })
  /** @type {Part[]} */
  const parts = [
    { kind: 'strong', text: subject[0].toUpperCase() + subject.slice(1) },
    text(' for '),
    { kind: 'since', text: duration(durationMs) }
  ]
  const work = workOf(row)
  if (isExcused(row)) parts.push(text(`: ${excuseOf(cause)}`))
  else {
    if (work !== '') parts.push(text(' in '), code(work))
    if (frame !== null) parts.push(text(work === '' ? ' in ' : ', '), code(placeOf(row)))
    else parts.push(text(`; the line ${recorded ? 'was' : 'is'} not known yet`))
  }
  return [...parts, text(waiting > 0 ? `, ${counted(waiting, 'request')} waiting.` : '.')]
}

/**
 * The title of the tab.
 * @param {any[]} ongoing
 * @param {string | undefined} service
 * @param {string} [time] the duration of the worst block so far
 * @param {string} [recorded] when, in a recording
 */
export function titleOf (ongoing, service, time, recorded) {
  const name = service === undefined ? 'loopwatch' : `${service} – loopwatch`
  const worst = worstOf(ongoing)
  if (recorded) return `${recorded}: ${name}`
  return worst === null ? name : `Blocked ${time ?? duration(worst.durationMs)}: ${name}`
}
