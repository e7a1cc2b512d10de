'use strict'

const { causeRow } = require('../../tables/causes')
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
/** The beginning of a function, not of a branch or a loop. */
const HEAD = new RegExp([
  /\bfunction\b/,
  /=>\s*\{?\s*$/,
  /^\s*(?:async\s+)?(?!(?:if|for|while|switch|catch|with)\b)[\w$#]+\s*\([^;]*\)\s*\{\s*$/
].map(({ source }) => source).join('|'))

/**
 * The native call that probably returned just before a late stack: the only built-in that can take long just before the
 * answered place, in the same function.
 * @param {string[]} lines of the file @param {number} answered line, from 1, which may contain the call itself
 */
function probableCall (lines, answered) {
  const found = []
  for (let line = answered; line > 0 && line >= answered - LINES_ABOVE; line--) {
    const text = lines[line - 1] ?? ''
    const builtin = builtinIn(text, { lines })
    if (builtin !== null && SUSPECTS.has(builtin.call)) found.push({ call: builtin.call, line })
    if (HEAD.test(text)) break
  }
  return found.length === 1 ? found[0] : null
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
