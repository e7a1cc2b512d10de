'use strict'

const { causeRow } = require('../../tables/causes')
const { functionAround } = require('../source/loop-body')
const { builtinIn, DEAR, REG_EXP, REPEATED, ROUND_TRIP } = require('../source/native-call')

/**
 * @import { BlockRecord } from '../../types'
 * @import { Sources } from './profiled-stacks'
 */

/** How many lines above the answered place are searched. A call further up has hardly just returned. */
const LINES_ABOVE = 8
/** Built-ins that take long often enough to be suspected. Most calls of the others are short. */
const SUSPECTS = new Set([
  ...DEAR, ROUND_TRIP, REG_EXP, 'test', 'exec', 'match', 'matchAll', 'replace', 'replaceAll'
])
/**
 * The native call that probably returned just before a late stack: the only built-in that can take long just before the
 * answered place, in the same function.
 * @param {string[]} lines of the file @param {number} answered line, from 1, which may contain the call itself
 */
function probableCall (lines, answered) {
  const first = Math.max(functionAround(lines, answered)?.line ?? 1, answered - LINES_ABOVE)
  const calls = lines.slice(first - 1, answered).flatMap((text, i) => {
    const call = builtinIn(text, { lines })?.call ?? ''
    return SUSPECTS.has(call) ? [{ call, line: first + i }] : []
  })
  return calls.length === 1 ? calls[0] : null
}

/** The built-in that has probably taken the time, if it is the line's only one. @param {string} line */
function repeatedCall (line) {
  const builtin = builtinIn(line)
  return builtin !== null && REPEATED.has(builtin.call) ? builtin.call : null
}

/** @param {BlockRecord} record @param {Sources['lines']} lines @returns {BlockRecord} */
exports.withProbableCall = (record, lines) => {
  const { frame, cause, profile, leaf } = record
  if (frame === null || frame.file === null || frame.line === null || profile?.call) return record
  const { isOnCpu, isCall, isScript } = causeRow(cause)
  const isLate = isOnCpu && isCall && !frame.exact
  const isOwn = isScript && frame.exact && (leaf?.file === null || leaf?.function === frame.function)
  const text = isLate || isOwn ? lines(frame.file) : null
  if (text === null) return record
  if (isLate) return { ...record, probable: probableCall(text, frame.line) }
  const call = repeatedCall(text[frame.line - 1] ?? '')
  return call === null ? record : { ...record, probable: { call, line: frame.line } }
}

exports.probableCall = probableCall
exports.repeatedCall = repeatedCall
