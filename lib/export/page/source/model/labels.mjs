import { causeOfPart, causeRow, causes, isExcused } from '../../../../tables/causes.js'
import { doubtOf, lineText, withoutPlace } from '../../../../util/place-text.js'
import { functionOf } from '../format.mjs'

/**
 * What happened, in words for people who do not know the causes by name.
 * @param {string} cause returned unchanged if only a newer agent knows it
 */
export const wordsOf = (cause) => Object.hasOwn(causes, cause) ? causeRow(cause).phrase : cause

/**
 * The time of a block in parts that add up to the whole.
 * @param {any} record @returns {{ cause: string, label: string, ms: number }[]} empty for a record of 0.1.0
 */
export const timePartsOf = ({ parts = {} }) => Object.entries(causeOfPart)
  .map(([part, cause]) => ({ cause, label: wordsOf(cause), ms: parts[part] })).filter(({ ms }) => ms > 0)

/** Why a block is not the application's fault, null if it is. @param {any} row @returns {string | null} */
export function asideOf (row) {
  const { threadId, cause, startup, allowed, ongoing } = row
  // It exists to compute, and delays nobody on the main loop.
  if (threadId > 0) return 'worker thread'
  // While a block lasts, its cause is provisional, and it is what the user is looking for.
  if (ongoing) return null
  if (startup) return 'start-up'
  if (allowed) return 'allowed'
  return isExcused(row) ? cause : null
}

/** The file with only its last folder: half of all files are called index.js. @param {string} file */
export const shortFile = (file) => file.split(/[\\/]/).slice(-2).filter(Boolean).join('/')

/** Where a block was, after ≈ if its line is not certain. @param {any} row */
export function placeOf (row) {
  const { frame, profile } = row
  if (frame !== null) {
    return `${doubtOf(frame)}${functionOf(frame)} ${frame.file === null ? '(native)' : `${shortFile(frame.file)}${lineText(frame)}`}`
  }
  if (profile?.call) return profile.call
  return isExcused(row) ? wordsOf(row.cause) : withoutPlace(row)
}

/**
 * The words before a place that say which call or generated code took the time. Empty if the place's own code took it.
 * @param {any} row
 */
export function calledBy ({ frame, profile, generated }) {
  if (frame === null) return ''
  if (generated) return `${generated.line === null ? generated.function : 'generated code'}, run by `
  return profile?.call ? `${profile.call}, called in ` : ''
}

/** What was being worked on, after ≈ if that is not certain. Empty if it is not known. @param {any} row */
export function workOf ({ work, request }) {
  const asked = request === null ? '' : `${doubtOf(request)}${request.method} ${request.route}`
  if (!work || work.kind === 'request') return asked
  return `${doubtOf(work)}${work.kind} ${work.name}${asked === '' ? '' : ` of ${asked}`}`
}
