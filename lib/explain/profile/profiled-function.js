'use strict'

const { isNativeBlock } = require('../parts')
const { blame, isSame, blamedFrame } = require('../frame')
const { allocatingLine, builtinIn, columnOfCall, mayCall, ownCalleesIn, syncCallIn, DEAR, REG_EXP } = require('../source/native-call')
const { ticksIn } = require('../source/loop-body')
const { linesOf } = require('./profiled-lines')
const { sum, MOST_IN_A_ROW } = require('./profiled-stacks')
const { ownerOf } = require('../../util/code-owner')
const { ENOUGH_SAMPLES, MOST } = require('../../tables/limits')

/**
 * @import { BlockRecord, Frame, FrameRecord } from '../../types'
 * @import { PassesOn } from '../frame'
 * @import { Profiled } from '../line'
 * @import { Lines } from './profiled-lines'
 */

/** V8 names a function by what it was assigned to. */
const EXPORTS = /^(?:module\.)?exports\./
/** The name of all synchronous functions of zlib. */
const ZLIB = 'syncBufferWrapper'

/**
 * @typedef {import('./profiled-stacks').Sources & { passesOn: PassesOn }} Sources
 * @typedef {import('./profiled-stacks').ProfiledStack & { blamed: Frame | null }} ProfiledStack
 * @typedef {ProfiledStack & { at: number, callee: Frame | null }} BlamedStack `at`: the index of the blamed frame,
 * `callee`: what that called and has frames of its own
 */

/** @param {BlockRecord} record @param {ProfiledStack[]} all @param {Sources} sources @returns {Profiled | null} */
exports.profiledFunction = (record, all, sources) => {
  const inAll = blameTimely(all, sources.passesOn)
  if (inAll === null) return null
  const stacks = withoutClocks(all, inAll)
  const ofBlamed = stacks.filter((stack) => isSame(stack.blamed, inAll)).map(withCallee)
  const blamed = /** @type {Frame} */ (blameTimely(ofBlamed, sources.passesOn))
  const raw = rawOf(ofBlamed[0])
  const lines = linesOf(raw, ofBlamed, record, sources)
  const late = isSame(record.frame, blamed) ? record.frame : null
  const isHead = late !== null && late.line === sources.original(raw).line
  const isCalledBy = ofBlamed.some(({ frames, at }) => frames.slice(at + 1).some((each) => isSame(each, record.frame)))
  const place = { blamed, late, lines, isHead, isCalledBy }
  const text = raw.file === null ? null : sources.lines(raw.file)
  return lines.heaviestCallee === null
    ? itself(record, stacks, place, { raw, text }, sources)
    : calling(record, stacks, place, { raw, text }, sources)
}

/** @typedef {Pick<Profiled, 'blamed' | 'late' | 'isHead' | 'isCalledBy'> & { lines: Lines }} Place */

/** With what the blamed function called, if that has frames. @param {ProfiledStack} stack @returns {BlamedStack} */
function withCallee (stack) {
  const at = stack.frames.findIndex((frame) => isSame(frame, stack.blamed))
  return { ...stack, at, callee: stack.frames.slice(0, at).filter(isCallee).at(-1) ?? null }
}

/** The blamed function before source maps, where it begins. @param {BlamedStack} stack @returns {Frame} */
const rawOf = ({ callee, head, raw, at }) => callee === null && head !== null ? head : raw[at]

/**
 * The line of the samples; null if there are too few of them.
 * @param {Place} place @param {Frame} raw the function where it begins @param {string[] | null} text
 * @param {string | null} name of what it called @returns {FrameRecord | null}
 */
function placeOf ({ blamed, late, lines: { best, isCertain, isCollecting, total } }, raw, text, name) {
  // Many collections hide where the function was.
  if (best === null || best.hits * 3 < total || (isCollecting && late !== null)) return null
  const { file = blamed.file, line, raw: at } = best
  const row = at === null ? null : text?.[at - 1] ?? null
  const found = row === null ? best.column ?? 1 : (name === null ? null : columnOfCall(row, name)) ?? builtinIn(row)?.column ?? row.search(/\S|$/) + 1
  // Text before its parameters belongs to another function.
  const column = at === raw.line && row !== null ? Math.max(found, raw.column ?? 1) : found
  return { ...blamed, file, line, column, exact: isCertain }
}

/**
 * If the function called another one with frames of its own.
 * @param {BlockRecord} record @param {ProfiledStack[]} stacks @param {Place} place
 * @param {{ raw: Frame, text: string[] | null }} code the function where it begins, and the lines of its file
 * @param {Sources} sources @returns {Profiled}
 */
function calling (record, stacks, place, { raw, text }, { lines }) {
  const { blamed, late, isHead, isCalledBy, lines: { best, heaviestCallee, total } } = place
  const callee = /** @type {Frame} */ (heaviestCallee).function
  const own = stacks.filter((stack) => isSame(stack.blamed, blamed))
  const at = best !== null && best.hits * 2 > total ? best.raw : null
  const name = callee === ZLIB ? syncCallIn(text ?? [], at ?? raw.line ?? 1, at) ?? callee : callee
  return {
    blamed,
    late,
    isHead,
    isCalledBy,
    line: placeOf(place, raw, text, name),
    call: builtinOfPackage(record, own, lines) ?? name?.replace(EXPORTS, '') ?? null,
    isOpen: false,
    isOpenLine: true,
    allocates: null,
    isBuiltInto: false
  }
}

/**
 * If the function was sampled itself, or in a built-in without a frame of its own.
 * @param {BlockRecord} record @param {ProfiledStack[]} stacks @param {Place} place
 * @param {{ raw: Frame, text: string[] | null }} code the function where it begins, and the lines of its file
 * @param {Sources} sources @returns {Profiled}
 */
function itself (record, stacks, place, { raw: begin, text }, sources) {
  const { blamed, late, isHead, isCalledBy, lines: { best, total } } = place
  const raw = best?.raw ?? null
  const seen = seenIn(record)
  const builtin = raw === null ? null : builtinIn(text?.[raw - 1] ?? '', { lines: text ?? [], seen })
  const caller = { ...blamed, line: best?.line ?? null }
  const isInto = isBuiltInto(record, caller, sources)
  // The only stack was taken at another moment, and does not show this call.
  const isOfOther = record.samples === 1 && record.frame !== null && !isSame(record.frame, blamed)
  const isAsked = !sources.isBegunLate
  const isDear = builtin !== null && (DEAR.has(builtin.call) || builtin.call === REG_EXP)
  const isCalled = isOfOther || isNativeBlock(record) || seen.has(builtin?.method ?? '') || (!isAsked && isDear)
  const line = placeOf(place, begin, text, null)
  // The samples may be those of a function that the line calls, if V8 had optimised it before the profile began.
  const row = text?.[Number(raw) - 1]
  const isHidden = (/** @type {string} */ name) =>
    stacks.every(({ frames }) => frames.every((each) => each.function !== name))
  const isKnown = isAsked ? !ownCalleesIn(text ?? [], row ?? '').some(isHidden) : !mayCall(row)
  return {
    blamed,
    late,
    isHead,
    isCalledBy,
    line: line && { ...line, exact: line.exact && isKnown },
    call: builtin !== null && isCalled && !isInto ? builtin.call : null,
    isOpen: isAsked && builtin !== null && !isCalled && !isInto,
    isOpenLine: place.lines.isCollecting || (best !== null && (best.line !== late?.line || best.hits * 2 < total)),
    allocates: isAsked ? collectedLine(stacks, blamed, text) : null,
    isBuiltInto: isInto
  }
}

/** None for a native call: interrupts are answered after it, maybe in the next one. @param {BlockRecord} record */
function seenIn (record) {
  if (isNativeBlock(record)) return new Set()
  const builtins = record.stacks.flatMap(({ frames: [innermost] }) =>
    innermost?.file === null && innermost.line === null ? [innermost.function ?? ''] : [])
  return new Set(builtins)
}

/**
 * A built-in that processes what a package was given, such as JSON.stringify in `res.json()` of Express, if it has
 * most of the time. A package that parses many small texts computes itself in between.
 * @param {BlockRecord} record @param {ProfiledStack[]} stacks of the blamed function, heaviest first
 * @param {Sources['lines']} lines
 */
function builtinOfPackage (record, stacks, lines) {
  const seen = seenIn(record)
  const callAt = (/** @type {Frame | null} */ frame, /** @type {number} */ line) => {
    if (frame === null || ownerOf(frame) !== 'package') return null
    const builtin = builtinIn(lines(frame.file ?? '')?.[line - 1] ?? '', { seen })
    return builtin !== null && DEAR.has(builtin.call) ? builtin.call : null
  }
  const frameOf = (/** @type {ProfiledStack} */ { raw }) => callerIn(raw)
  const call = callAt(frameOf(stacks[0]), frameOf(stacks[0])?.line ?? 0)
  const inCalls = stacks.map((stack) => {
    const frame = frameOf(stack)
    const ticks = stack.ticks.length > 0 ? stack.ticks : [{ line: frame?.line ?? 0, ticks: 1 }]
    return stack.count * ticksIn(ticks.filter(({ line }) => callAt(frame, line) === call)) / ticksIn(ticks)
  })
  return inCalls.reduce((total, each) => total + each, 0) >= MOST * sum(stacks) ? call : null
}

/** Samples of a profile are never late. @param {ProfiledStack[]} stacks @param {PassesOn} [passesOn] */
const blameTimely = (stacks, passesOn) => blame(stacks.map((stack) => ({ ...stack, lateMs: 0 })), passesOn)

/**
 * Drops stacks in which a function only read a clock, if it has others: on a busy machine a thread loses its CPU there
 * more often than elsewhere, and is sampled when it resumes. @param {ProfiledStack[]} stacks @param {Frame} blamed
 */
function withoutClocks (stacks, blamed) {
  const working = stacks.filter(({ isClock }) => !isClock)
  return sum(working.filter((stack) => isSame(stack.blamed, blamed))) >= ENOUGH_SAMPLES ? working : stacks
}

/**
 * The line that makes the garbage, if collections are most of the time. A stack does not show it: interrupts are
 * answered at the head of a loop.
 * @param {ProfiledStack[]} stacks @param {Frame} blamed
 * @param {string[] | null} text of the file, null if it is not what runs
 * @returns {FrameRecord | null}
 */
function collectedLine (stacks, blamed, text) {
  const own = stacks.filter(({ frames }) => isSame(callerIn(frames), blamed))
  const collecting = own.filter(({ gcRun }) => gcRun !== null)
  const ticks = own.flatMap((stack) => stack.gcRun === null ? stack.ticks : [])
  const raw = own[0]?.raw.find(({ file }) => file !== null)
  // With a source map, the line is not in this text.
  if (text === null || ticks.length === 0 || raw?.file !== blamed.file) return null
  if (sum(collecting) * 2 <= sum(own)) return null
  // The code that makes the garbage runs between two collections. If nothing ran there, something else caused them.
  if (Math.max(...collecting.map(({ gcRun }) => gcRun ?? 0)) > MOST_IN_A_ROW * sum(collecting)) return null
  const line = allocatingLine(text, ticks.map((each) => each.line))
  return line === null
    ? null
    : { ...blamed, line, column: text[line - 1].search(/\S|$/) + 1, exact: ticks.some((each) => each.line === line) }
}

/** Names of C++ functions do not count: it may be the one called before (24.21). @param {Frame} frame */
const isCallee = ({ function: name, file }) => file !== null || name === REG_EXP

/** The innermost function with a file. @param {Frame[]} frames */
const callerIn = (frames) => frames.find(({ file }) => file !== null) ?? null

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
 * are in the line of the call (seen on 20.20) or just before it.
 * @param {BlockRecord} record @param {Frame} caller by the profile, in the line with most samples
 * @param {{ passesOn: PassesOn } & Pick<Sources, 'textOf'>} code
 */
function isBuiltInto (record, caller, { textOf, passesOn }) {
  const { frame, stacks } = record
  if (!frame?.exact || isSame(frame, caller) || isNativeBlock(record)) return false
  const isThere = (/** @type {Frame} */ { line }) => isJustBefore(caller.line, line)
  const isCall = (/** @type {Frame} */ each, /** @type {Frame} */ callee) =>
    isSame(each, caller) && isThere(each) && !callsOther(each, callee, textOf(each.file ?? ''))
  return stacks.some(({ frames }) => {
    const callers = frames.slice(frames.findIndex((each) => isSame(each, frame)))
    const at = callers.findIndex((each, i) => isCall(each, callers[Math.max(0, i - 1)]))
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

exports.callerIn = callerIn
exports.callsOther = callsOther
exports.isBuiltInto = isBuiltInto
exports.mayBeBuiltIn = mayBeBuiltIn
