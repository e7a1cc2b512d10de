'use strict'

const { causeOfPart, causeRow, causes, isExcused } = require('../tables/causes')
const { doubtOf, lineText, shortPath, withoutPlace, workOf } = require('../util/place-text')

/** @import { BlockRecord } from '../types' */

/** @typedef {Pick<BlockRecord, 'ongoing' | 'startup' | 'allowed' | 'threadId'>} Circumstances */

/**
 * A cause in words, for people who do not know causes by name.
 * @param {string} cause returned unchanged if only a newer agent knows it
 */
exports.wordsOf = (cause) => Object.hasOwn(causes, cause) ? causeRow(cause).phrase : cause

/**
 * The time of a block in parts that add up to the whole.
 * @param {any} record @returns {{ cause: string, label: string, ms: number }[]} empty for a record of 0.1.0
 */
exports.timePartsOf = ({ parts = {} }) => Object.entries(causeOfPart)
  .map(([part, cause]) => ({ cause, label: exports.wordsOf(cause), ms: parts[part] })).filter(({ ms }) => ms > 0)

/**
 * Why a block is not the application's fault, null if it is.
 * @param {Circumstances & Pick<BlockRecord, 'cause' | 'excused'>} row
 */
exports.asideOf = (row) => {
  const { threadId, cause, startup, allowed, ongoing } = row
  // Worker threads exist to compute. Their blocks delay nobody on the main loop.
  if (threadId > 0) return 'worker thread'
  // During a block, its cause is provisional, and it is what the user is looking for.
  if (ongoing) return null
  if (startup) return 'startup'
  if (allowed) return 'allowed'
  return isExcused(row) ? cause : null
}

/** Where a block was, after ≈ if its line is not certain. @param {any} row */
exports.placeOf = (row) => {
  const { frame, profile } = row
  if (frame !== null) {
    const where = frame.file === null ? '(native)' : `${shortPath(frame.file)}${lineText(frame)}`
    return `${doubtOf(frame)}${frame.function ?? '(anonymous)'} ${where}`
  }
  if (profile?.call) return profile.call
  return isExcused(row) ? exports.wordsOf(row.cause) : withoutPlace(row)
}

exports.workOf = (/** @type {Pick<BlockRecord, 'work' | 'request'>} */ row) => workOf(row) ?? ''
