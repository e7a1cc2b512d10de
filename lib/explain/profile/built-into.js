'use strict'

const { isNativeBlock } = require('../cause')
const { blamedFrame, isSame } = require('../frame')
const { ENOUGH_SAMPLES } = require('../../tables/samples')

/** Built-ins that V8 inlines with their callbacks. Not sort(), but its time is its comparator's. */
const BUILT_IN = new Set([
  'map', 'forEach', 'filter', 'reduce', 'reduceRight', 'every', 'some', 'find', 'findIndex', 'call', 'apply', 'sort',
  'toSorted'
])
/** A sample in an inlined function may have the position of the code before its call. */
const LINES_BEFORE = 2

/** @typedef {import('../../types').Frame} Frame */
/** @typedef {import('../../types').BlockRecord} BlockRecord */
/** @typedef {import('../frame').PassesOn} PassesOn */
/** @typedef {import('./profiled-stacks').Sources} Sources */

/**
 * Whether V8 inlined the function that interrupts found into its caller and the profile does not show it: all samples
 * are in the line of the call (seen on 20.20). If that line also calls a built-in, a single interrupt may have come
 * after it.
 * @param {BlockRecord} record @param {Frame} caller by the profile @param {boolean} hasLine its line is where it ran
 * @param {boolean} callsBuiltin @param {{ passesOn: PassesOn } & Pick<Sources, 'textOf'>} code
 */
function isBuiltInto (record, caller, hasLine, callsBuiltin, { textOf, passesOn }) {
  const { frame, samples, stacks } = record
  if (!hasLine || !frame?.exact || isSame(frame, caller) || isNativeBlock(record)) return false
  if (callsBuiltin && samples < ENOUGH_SAMPLES) return false
  const isCall = (/** @type {Frame} */ each) => isSame(each, caller) && isJustBefore(caller.line, each.line) &&
    !callsOther(each, frame, textOf(each.file ?? ''))
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
  return method !== within.function && !text.split(/[^\w$]+/).includes(within.function)
}

/** The position may be earlier (24.21: an `await`). @param {number | null} sampled @param {number | null} called */
const isJustBefore = (sampled, called) =>
  sampled !== null && called !== null && sampled <= called && called - sampled <= LINES_BEFORE

exports.isBuiltInto = isBuiltInto
