'use strict'

const { isNativeBlock } = require('../parts')
const { blamedFrame, isSame } = require('../frame')
const { ENOUGH_SAMPLES } = require('../../tables/samples')

/**
 * @import { BlockRecord, Frame } from '../../types'
 * @import { PassesOn } from '../frame'
 * @import { Lines } from './profiled-lines'
 * @import { Sources } from './profiled-stacks'
 */

/** Built-ins that V8 inlines with their callbacks. Not sort(), but its time is its comparator's. */
const BUILT_IN = new Set([
  'map', 'forEach', 'filter', 'reduce', 'reduceRight', 'every', 'some', 'find', 'findIndex', 'call', 'apply', 'next', 'sort',
  'toSorted'
])
/** A sample in an inlined function may have the position of the code before its call. */
const LINES_BEFORE = 2

/** V8 names an accessor so. */
const ACCESSOR = /^[gs]et /

/**
 * Whether V8 inlined the function that interrupts found into its caller and the profile does not show it: its samples
 * are in the line of the call (seen on 20.20), in lines of another function, or have no line. If the line of the call
 * also calls a built-in, a single interrupt may have come after it.
 * @param {BlockRecord} record @param {Frame} caller by the profile, in the line with most samples
 * @param {Lines} lines of the caller @param {boolean} callsBuiltin
 * @param {{ passesOn: PassesOn } & Pick<Sources, 'textOf'>} code
 */
function isBuiltInto (record, caller, { elsewhere, total }, callsBuiltin, { textOf, passesOn }) {
  const { frame, samples, stacks } = record
  if (!frame?.exact || isSame(frame, caller) || isNativeBlock(record)) return false
  if (callsBuiltin && samples < ENOUGH_SAMPLES) return false
  const isElsewhere = elsewhere * 2 >= total
  const isThere = (/** @type {Frame} */ { line }) => isElsewhere || isJustBefore(caller.line, line)
  const isCall = (/** @type {Frame} */ each) =>
    isSame(each, caller) && isThere(each) && !callsOther(each, frame, textOf(each.file ?? ''))
  return stacks.some(({ frames }) => {
    const callers = frames.slice(frames.findIndex((each) => isSame(each, frame)))
    const at = callers.findIndex(isCall)
    return at !== -1 && isSame(blamedFrame(frames, passesOn), frame) && callers.slice(0, at).every(mayBeBuiltIn)
  })
}

/** Whether V8 may have inlined a function with all its callees into its caller. @param {Frame} frame */
const mayBeBuiltIn = ({ file, function: name }) => file !== null || BUILT_IN.has(`${name}`)

/**
 * The call has another name than the function within, and does not pass it as an argument: a native method called it,
 * as `statement.get()` calls functions of SQL.
 * @param {Frame} call @param {Frame} within @param {string[] | null} lines of the file of the call
 */
function callsOther ({ file, line, column }, within, lines) {
  const text = lines?.[Number(line) - 1] ?? ''
  const method = /^[\w$]+/.exec(text.slice(Number(column) - 1))?.[0]
  if (method === undefined || BUILT_IN.has(method) || text[Number(column) - 2] !== '.') return false
  // A function without a name that starts before the call is not an argument of it.
  if (within.function === null) return within.file !== file || Number(within.line) < Number(line)
  const name = within.function.replace(ACCESSOR, '')
  return method !== name && !text.split(/[^\w$]+/).includes(name)
}

/** The position may be earlier (24.21: an `await`). @param {number | null} sampled @param {number | null} called */
const isJustBefore = (sampled, called) =>
  sampled !== null && called !== null && sampled <= called && called - sampled <= LINES_BEFORE

exports.callsOther = callsOther
exports.isBuiltInto = isBuiltInto
exports.mayBeBuiltIn = mayBeBuiltIn
