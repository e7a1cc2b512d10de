'use strict'

const { isNativeBlock } = require('../cause')
const { blame, isSame } = require('../frame')
const { builtinIn, columnOfCall, lineOfCall, syncCallIn, DEAR, REG_EXP } = require('../source/native-call')
const { isBuiltInto } = require('./built-into')
const { allocatingLine } = require('../source/own-lines')
const { sum, MOST_IN_A_ROW } = require('./profiled-stacks')
const { ownerOf } = require('../../util/code-owner')
const { ENOUGH_SAMPLES } = require('../../tables/samples')

/** V8 names a function by what it was assigned to. */
const EXPORTS = /^(?:module\.)?exports\./
/** The name of all synchronous functions of zlib. */
const ZLIB = 'syncBufferWrapper'
/** This many samples in one line outweigh a stack: interrupts are answered at the head of a loop. */
const ENOUGH_IN_LINE = 3

/**
 * @typedef {import('../../types').Frame} Frame
 * @typedef {import('../../types').FrameRecord} FrameRecord
 * @typedef {import('../../types').BlockRecord} BlockRecord
 * @typedef {import('../frame').PassesOn} PassesOn
 * @typedef {import('../line').Profiled} Profiled
 * @typedef {import('./profiled-stacks').Sources & { passesOn: PassesOn }} Sources
 * @typedef {import('./profiled-stacks').ProfiledStack & { blamed: Frame | null }} ProfiledStack
 */

/** @param {BlockRecord} record @param {ProfiledStack[]} all @param {Sources} sources @returns {Profiled | null} */
exports.profiledFunction = (record, all, sources) => {
  const inAll = blameTimely(all, sources.passesOn)
  if (inAll === null) return null
  const stacks = withoutClocks(all, inAll)
  const ofBlamed = stacks.filter((stack) => isSame(stack.blamed, inAll))
  const blamed = /** @type {Frame} */ (blameTimely(ofBlamed, sources.passesOn))
  const heaviest = /** @type {ProfiledStack} */ (stacks.find((stack) => isSame(stack.blamed, blamed)))
  const at = heaviest.frames.findIndex((frame) => isSame(frame, blamed))
  const callees = heaviest.frames.slice(0, at).filter(isCallee)
  const late = isSame(record.frame, blamed) ? record.frame : null
  // V8 answers an interrupt at the head of a function each time it is entered or resumes after an await.
  const isHead = late !== null && late.line === heaviest.headLine
  const timely = late?.exact && !isHead ? late : null
  const place = { blamed, late, isHead, timely, hasLine: heaviest.hasLine }
  const raw = heaviest.raw[at]
  if (callees.length === 0) return itself(record, stacks, { frame: heaviest.frames[at], raw }, place, sources)
  return calling(record, stacks, { stack: heaviest, raw, callee: callees[callees.length - 1] }, place, sources)
}

/** @typedef {Pick<Profiled, 'blamed' | 'late' | 'isHead' | 'timely' | 'hasLine'>} Place */

/**
 * If the function called another one with frames of its own: a profile has no line for the call, but the source or a
 * late stack may.
 * @param {BlockRecord} record @param {ProfiledStack[]} stacks
 * @param {{ stack: ProfiledStack, raw: Frame, callee: Frame }} heaviest `raw`: of the function @param {Place} place
 * @param {Sources} sources @returns {Profiled}
 */
function calling (record, stacks, { stack, raw, callee: { function: own } }, place, { lines, original }) {
  const { blamed, isHead } = place
  const late = isHead ? null : place.late
  const text = raw.file === null ? null : lines(raw.file)
  // With a source map, the line is not in this text.
  const sampledLine = place.late !== null && place.late.file === raw.file ? place.late.line : null
  const name = own === ZLIB ? syncCallIn(text ?? [], raw.line ?? 1, sampledLine) ?? own : own
  const isSeen = late?.line && name !== null && columnOfCall(text?.[late.line - 1] ?? '', name) !== null
  const found = name === null || text === null ? null : lineOfCall(text, raw.line ?? 1, name)
  return {
    ...place,
    call: builtinOfPackage(record, stacks, stack, lines) ?? name?.replace(EXPORTS, '') ?? null,
    isOpen: false,
    callee: {
      seen: isSeen ? late : null,
      found: found && { ...original({ ...raw, ...found }), exact: true },
      near: callerIn(ownStack(stacks, blamed)?.frames ?? [])
    },
    allocates: null,
    sampled: null,
    isBuiltInto: false
  }
}

/**
 * If the function was sampled itself, or in a built-in without a frame of its own.
 * @param {BlockRecord} record @param {ProfiledStack[]} stacks @param {{ frame: Frame, raw: Frame }} heaviest
 * @param {Place} place @param {Sources} sources @returns {Profiled}
 */
function itself (record, stacks, { frame, raw }, place, sources) {
  const { blamed, hasLine, timely } = place
  const text = raw.file === null ? null : sources.lines(raw.file)
  const line = hasLine ? raw.line : timely?.line ?? null
  const seen = seenIn(record)
  const builtin = line === null ? null : builtinIn(text?.[line - 1] ?? '', { lines: text ?? [], seen })
  const isInto = isBuiltInto(record, frame, hasLine, builtin !== null, sources)
  // The only stack was taken at another moment, and does not show this call.
  const isOfOther = record.samples === 1 && record.frame !== null && !isSame(record.frame, blamed)
  const isCalled = isOfOther || isNativeBlock(record) || seen.has(builtin?.method ?? '')
  return {
    ...place,
    call: builtin !== null && isCalled && !isInto ? builtin.call : null,
    isOpen: builtin !== null && !isCalled && !isInto,
    callee: null,
    allocates: collectedLine(stacks, blamed, record.frame, text),
    sampled: certainLine(stacks, blamed),
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
 * A built-in that processes what a package was given, such as JSON.stringify in `res.json()` of Express.
 * @param {BlockRecord} record @param {ProfiledStack[]} stacks @param {ProfiledStack} heaviest of the blamed function
 * @param {Sources['lines']} lines
 */
function builtinOfPackage (record, stacks, { raw, hasLine, count }, lines) {
  const frame = callerIn(raw)
  if (frame === null || !hasLine || ownerOf(frame) !== 'package' || count * 2 < sum(stacks)) return null
  const seen = seenIn(record)
  const builtin = builtinIn(lines(frame.file ?? '')?.[(frame.line ?? 0) - 1] ?? '', { seen })
  return builtin !== null && DEAR.has(builtin.call) ? builtin.call : null
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

/** The stack with the line that has most samples. @param {ProfiledStack[]} stacks @param {Frame} blamed */
function ownStack (stacks, blamed) {
  const own = stacks.filter(({ frames, hasLine }) => hasLine && isSame(callerIn(frames), blamed))
  return own.length === 0 ? null : own.reduce((most, each) => ticksOf(own, each) > ticksOf(own, most) ? each : most)
}

/** Samples in the line of one of the stacks. @param {ProfiledStack[]} stacks @param {ProfiledStack} of */
function ticksOf (stacks, { ticks: [{ line: of }] }) {
  return stacks.reduce((sum, { ticks }) => sum + (ticks.find(({ line }) => line === of)?.ticks ?? 0), 0)
}

/**
 * The line that makes the garbage, if collections are most of the time. A stack does not show it: interrupts are
 * answered at the head of a loop.
 * @param {ProfiledStack[]} stacks @param {Frame} blamed @param {Frame | null} late by the stack
 * @param {string[] | null} text of the file, null if it is not what runs
 * @returns {import('../../types').FrameRecord | null}
 */
function collectedLine (stacks, blamed, late, text) {
  const own = stacks.filter(({ frames }) => isSame(callerIn(frames), blamed))
  const collecting = own.filter(({ gcRun }) => gcRun !== null)
  const ticks = own.flatMap((stack) => stack.gcRun === null ? stack.ticks : [])
  const raw = own[0].raw.find(({ file }) => file !== null)
  // With a source map, the line is not in this text.
  if (text === null || ticks.length === 0 || sum(collecting) * 2 <= sum(own) || raw?.file !== blamed.file) return null
  // The code that makes the garbage runs between two collections. If nothing ran there, something else caused them.
  if (Math.max(...collecting.map(({ gcRun }) => gcRun ?? 0)) > MOST_IN_A_ROW * sum(collecting)) return null
  const line = allocatingLine(text, [
    ...ticks.map((each) => each.line),
    ...(late !== null && late.line !== null && isSame(late, blamed) ? [late.line] : [])
  ])
  return line === null ? null : { ...blamed, line, column: text[line - 1].search(/\S|$/) + 1, exact: ticks.some((each) => each.line === line) }
}

/**
 * The line in which a function was sampled most, if it has enough samples and collections are not most of them: these
 * do not show where they interrupted it. @param {ProfiledStack[]} stacks @param {Frame} blamed
 */
function certainLine (stacks, blamed) {
  const own = stacks.filter(({ frames }) => isSame(callerIn(frames), blamed))
  const lined = own.filter(({ hasLine }) => hasLine)
  const most = ownStack(own, blamed)
  // Samples are of the block. Counts of lines are of the whole profile, and there are fewer of them than samples.
  if (most === null || ticksOf(lined, most) < ENOUGH_IN_LINE || sum(lined) < ENOUGH_IN_LINE) return null
  return sum(lined) * 2 >= sum(own)
    ? /** @type {import('../../types').FrameRecord} */ ({ ...callerIn(most.frames), exact: true })
    : null
}

/**
 * Names of C++ functions count only if JavaScript of Node.js called them: else it may be the one called before (24.21).
 * @param {Frame} frame @param {number} i @param {Frame[]} frames innermost first
 */
function isCallee ({ function: name, file }, i, frames) {
  return file !== null || name === REG_EXP || frames.slice(i).some((outer) => outer.file !== null)
}

/** The innermost function with a file. @param {Frame[]} frames */
const callerIn = (frames) => frames.find(({ file }) => file !== null) ?? null

exports.callerIn = callerIn
