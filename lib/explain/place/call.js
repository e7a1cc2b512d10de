'use strict'

const { isSame } = require('../frame')
const { isNativeBlock } = require('../parts')
const { sum } = require('../profile/stacks')
const { builtinIn, DEAR } = require('../source/builtins')
const { rowsOfFunction, zlibCallIn, ZLIB } = require('../source/function-text')
const { columnOfCall, onlyCallIn, REG_EXP } = require('../source/line-text')
const { MOST } = require('../../tables/limits')
const { ownerOf } = require('../../util/code-owner')
const { addTo, keyOfLargest, sumOf } = require('../../util/statistics')

/**
 * @import { Frame } from '../../types'
 * @import { Place, View } from './place'
 * @import { Ranked } from './points'
 */

/** The prefix of an exported function: V8 names it by what it was assigned to. */
const EXPORTS = /^(?:module\.)?exports\./

/**
 * @typedef {object} Call that took the time of a line
 * @property {string | null} call @property {boolean} builtin it is one of V8 or Node.js
 * @property {boolean} isOpen the line calls a built-in, once or often: there is no way to know
 * @property {number | null} column where the line makes it
 */

/** @type {Call} */
const NO_CALL = { call: null, builtin: false, isOpen: false, column: null }

/**
 * The call that took the time of a line, by the samples in its callees, else by its text. `column` is that of the call,
 * else of the line's first character. @param {Place | null} place @param {View} view @returns {Call}
 */
exports.callIn = (place, view) => {
  if (place === null || place.line === null) return NO_CALL
  const { rows, line } = place
  const { frame, scope, row, callees, samples, called } = line
  const callee = keyOfLargest(callees)
  const isInCallee = callee !== undefined && called > samples
  const isSampled = (scope?.samples ?? samples + called) > 0
  const call = !isSampled ? NO_CALL : isInCallee ? named(callee, line, rows, view) : inText(line, rows, view)
  const column = call.column ?? frame.column ?? (row === undefined ? null : row.search(/\S|$/) + 1)
  // Text before the parameters of a function belongs to another one.
  const isFirst = column !== null && scope?.begin.line === frame.line
  return { ...call, column: isFirst ? Math.max(column, scope.begin.column ?? 1) : column }
}

/**
 * @param {Frame} callee by the profile @param {Ranked} line @param {string[]} rows @param {View} view @returns {Call}
 */
function named (callee, { scope, row = '' }, rows, { record, stacks, sources }) {
  const isOfNode = ownerOf(callee) === 'node'
  const dear = isOfNode ? null : builtinOfPackage(callee, stacks, record, sources)
  if (dear !== null) {
    return { call: dear, builtin: true, isOpen: false, column: columnOfCall(row, `${callee.function}`) }
  }
  const within = scope === null ? [] : rowsOfFunction(rows, scope.begin)
  const sync = callee.function === ZLIB ? zlibCallIn([{ row }]) ?? zlibCallIn(within) : null
  const name = (sync ?? callee.function)?.replace(EXPORTS, '') ?? null
  const column = name === null ? null : columnOfCall(row, name)
  const written = column === null && name !== REG_EXP ? onlyCallIn(row) : null
  const call = written?.call ?? name
  return {
    call,
    builtin: isOfNode && call !== null,
    isOpen: false,
    column: column ?? written?.column ?? builtinIn(row)?.column ?? null
  }
}

/**
 * A built-in that a package calls for a value of its caller, such as JSON.stringify in `res.json()` of Express: the
 * lines that call it have three quarters of the samples.
 * @param {Frame} callee @param {View['stacks']} stacks @param {View['record']} record @param {View['sources']} sources
 */
function builtinOfPackage (callee, stacks, record, { runningRows }) {
  const within = stacks.filter(({ frames, gcRun }) => gcRun === null && frames.some((each) => isSame(each, callee)))
  const methods = builtinsAnswered(record)
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const { raw, ticks, count } of within) {
    const frame = raw.find(({ file }) => file !== null) ?? null
    if (frame === null || ownerOf(frame) !== 'package') continue
    for (const { line, ticks: some } of ticks.length > 0 ? ticks : [{ line: frame.line, ticks: 1 }]) {
      const builtin = builtinIn(runningRows(`${frame.file}`)?.[Number(line) - 1] ?? '', { methods })
      if (builtin === null || !DEAR.has(builtin.call)) continue
      addTo(counts, builtin.call, count * some / Math.max(1, sumOf(ticks, 'ticks')))
    }
  }
  return [...counts].find(([, count]) => count >= MOST * sum(within))?.[0] ?? null
}

/**
 * A built-in without a frame of its own: the only one of the line that can take long. In a block of JavaScript only if
 * answers show the thread in it. @param {Ranked} line @param {string[]} rows @param {View} view @returns {Call}
 */
function inText ({ row = '', answeredMs }, rows, { record, sources }) {
  const methods = builtinsAnswered(record)
  const builtin = builtinIn(row, { rows, methods })
  if (builtin === null) return NO_CALL
  // The only answer came at another moment, and does not show this call.
  const isOfOther = record.samples === 1 && record.frame !== null && answeredMs === 0
  const isDear = DEAR.has(builtin.call) || builtin.call === REG_EXP
  const isLate = sources.isBegunLate === true
  const isCalled = isOfOther || isNativeBlock(record) || methods.has(builtin.method) || (isLate && isDear)
  const { column } = builtin
  return isCalled
    ? { call: builtin.call, builtin: true, isOpen: false, column }
    : { ...NO_CALL, isOpen: !isLate, column }
}

/**
 * The built-ins that answers show. None for a native call: interrupts are answered after it, maybe in the next one.
 * @param {View['record']} record
 */
function builtinsAnswered (record) {
  if (isNativeBlock(record)) return new Set()
  return new Set(record.stacks.flatMap(({ frames: [innermost] }) =>
    innermost?.file === null && innermost.line === null ? [innermost.function ?? ''] : []))
}

exports.NO_CALL = NO_CALL
