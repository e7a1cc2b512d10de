import { causeRow, causes, excuseOf } from '../../../../tables/causes.js'
import { doubtOf, functionOf } from '../format.mjs'

/**
 * What happened, in the words of somebody who does not know the causes by name.
 * @param {string} cause that a newer agent may have and this page not
 */
export const wordsOf = (cause) => Object.hasOwn(causes, cause) ? causeRow(cause).phrase : cause

/** Why a block is not the application's doing; null where it is. @param {any} row @returns {string | null} */
export function asideOf ({ cause, startup, allowed, ongoing }) {
  // While it lasts its cause is provisional, and nobody looks for anything else.
  if (ongoing) return null
  if (startup) return 'start-up'
  if (allowed) return 'allowed'
  return excuseOf(cause) === undefined ? null : cause
}

/** The last part of a path with its folder: half of all files are called index.js. @param {string} file */
export const shortFile = (file) => file.split(/[\\/]/).slice(-2).filter(Boolean).join('/')

/** Where a block was, with ≈ where its line is not certain. @param {any} row */
export function placeOf ({ frame, cause, samples, profile }) {
  if (frame !== null) {
    return `${doubtOf(frame)}${functionOf(frame)} ${frame.file === null ? '(native)' : `${shortFile(frame.file)}:${frame.line}`}`
  }
  if (profile?.call) return profile.call
  if (excuseOf(cause) !== undefined) return 'not your code'
  if (samples > 0) return 'outside your code'
  return causeRow(cause).isCall ? 'inside a native or synchronous call' : 'no place known'
}

/**
 * What the place ran that took its time, with the words that lead to the place; empty if that is its own code.
 * @param {any} row
 */
export function calledBy ({ frame, profile, generated }) {
  if (frame === null) return ''
  if (generated) return `${generated.line === null ? generated.function : 'generated code'}, run by `
  return profile?.call ? `${profile.call}, called in ` : ''
}

/** What was being worked on, after ≈ where that is not certain; empty where it is not known. @param {any} row */
export function workOf ({ work, request }) {
  const asked = request === null ? '' : `${doubtOf(request)}${request.method} ${request.route}`
  if (!work || work.kind === 'request') return asked
  return `${doubtOf(work)}${work.kind} ${work.name}${asked === '' ? '' : ` of ${asked}`}`
}
