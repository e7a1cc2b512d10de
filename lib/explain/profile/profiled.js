'use strict'

const { blame, blamedFrame, isSame, wrapsNative } = require('../frame')
const { causeByProfile } = require('../cause')
const { isNativeBlock } = require('../parts')
const { weightOf } = require('../fold')
const { areLate, judged, lineOf, table } = require('../line')
const { causeRow } = require('../../tables/causes')
const { callsOther, callerIn, profiledFunction } = require('./profiled-function')
const { offHead } = require('../source/loop-body')
const { isUnowned, profiledStacks, sum } = require('./profiled-stacks')
const { ownerOf } = require('../../util/code-owner')
const { ENOUGH_SAMPLES, STACKS_IN_RECORD } = require('../../tables/limits')
const { REG_EXP, ROUND_TRIP, SEARCHES } = require('../source/native-call')

/**
 * @import { BlockRecord, Frame, FrameRecord, StackRecord } from '../../types'
 * @import { PassesOn } from '../frame'
 * @import { CpuProfile } from './cpu-profile'
 * @import { Sources } from './profiled-stacks'
 */

/** A function with a smaller share of the samples did not take the time. */
const HARDLY = 0.2
/** This many samples in wrappers of native calls are not an accident. */
const ENOUGH_IN_WRAPPERS = 3

/**
 * @typedef {import('./profiled-stacks').ProfiledStack & { blamed: Frame | null }} ProfiledStack
 */

/**
 * A signal triggers the samples, so they are also in native calls, and correct a stack that was taken after such a
 * call.
 * @param {BlockRecord} record @param {CpuProfile} profile of its time @param {Sources} sources @returns {BlockRecord}
 */
exports.withProfile = (record, profile, sources) => {
  const passesOn = passingIn(record, sources)
  const stacks = profiledStacks(profile, sources, record.frame)
    .map((stack) => ({ ...stack, blamed: blamedFrame(stack.frames, passesOn) }))
  const stacksInRecord = stacks.slice(0, STACKS_IN_RECORD)
    .map(({ count, weightMs, frames }) => ({ count, weightMs: Math.round(weightMs * 10) / 10, frames }))
  const isTold = (profile.samples.length >= ENOUGH_SAMPLES || areLate(record)) && !isUnowned(stacks)
  const profiled = isTold ? profiledFunction(record, stacks, { ...sources, passesOn }) : null
  const { frame, call: named, row } = lineOf({ record, profiled })
  const call = isInScript(stacks) ? null : named
  const betweenShare = shareBetweenCalls(frame, record, stacks, sources)
  return {
    ...record,
    ...(profiled && causeByProfile(record, { call, isOpen: profiled.isOpen, betweenShare })),
    frame: frame && judged({ frame, evidence: table[row].evidence, record, profile, stacks, textOf: sources.textOf }),
    stacks: frame === null ? record.stacks : drawnStacks(record, { frame, call }, isTold ? stacksInRecord : []),
    leaf: call === null ? record.leaf : { function: call, file: null, line: null, column: null },
    profile: { samples: profile.samples.length, call, stacks: stacksInRecord }
  }
}

/** The same without a profile. @param {BlockRecord} record @param {Sources['textOf']} textOf @returns {BlockRecord} */
exports.withoutProfile = (record, textOf) => {
  if (record.frame === null) return record
  const found = offHead(record.frame, textOf)
  const frame = judged({ frame: found, evidence: 'stacks', record, profile: null, stacks: [], textOf })
  return { ...record, frame, stacks: drawnStacks(record, { frame, call: null }, []) }
}

/**
 * The share of the samples in a native call that calls back, or between many short ones; 0 if they are not most.
 * @param {Frame & { exact: boolean } | null} place by the profile @param {BlockRecord} record
 * @param {ProfiledStack[]} stacks @param {Sources} sources
 */
function shareBetweenCalls (place, { frame, stacks: answered }, stacks, sources) {
  const callsBack = place !== null && calls(place, frame, answered, sources.textOf) && isAround(place, frame, stacks)
  return callsBack ? 1 : shareInWrappers(stacks)
}

/**
 * Whether the place called a native function that called back: there is a native frame between the two, or the place
 * calls something else, as V8 does not show every native function. @param {Frame} place @param {Frame | null} found
 * @param {StackRecord[]} stacks @param {Sources['textOf']} textOf
 */
function calls (place, found, stacks, textOf) {
  // A function without a name may be any of its file.
  if (found === null || (isSame(found, place) && (found.function !== null || found.line === place.line))) return false
  const isCall = (/** @type {Frame} */ each) => isSame(each, place) && each.line === place.line
  return stacks.some(({ frames }) => {
    const callers = frames.slice(1 + frames.findIndex((each) => isSame(found, each)))
    const at = callers.findIndex(isCall)
    const isNative = callers.slice(0, at).some((each) => ownerOf(each) === 'node')
    return isNative || (at === 0 && callsOther(callers[0], found, textOf(place.file ?? '')))
  })
}

/**
 * Whether a profile has most of the time in a function itself, and hardly any in the one found, which it called.
 * @param {Frame} place @param {Frame | null} found @param {ProfiledStack[]} stacks
 */
function isAround (place, found, stacks) {
  const own = stacks.filter(({ frames }) => isSame(callerIn(frames), place))
  const within = found?.function == null
    ? []
    : stacks.filter(({ frames }) => frames.some((each) => isSame(found, each)))
  return sum(own) * 2 > sum(stacks) && sum(within) < HARDLY * sum(stacks)
}

/** The share of samples in Node's own code around native calls, 0 if not most. @param {ProfiledStack[]} stacks */
function shareInWrappers (stacks) {
  const within = sum(stacks.filter(({ frames }) => wrapsNative(frames)))
  return within * 2 > sum(stacks) && within >= ENOUGH_IN_WRAPPERS ? within / sum(stacks) : 0
}

/**
 * Code made at run time, which the application called, has most samples: its caller (`vm`, say) is no native call.
 * @param {ProfiledStack[]} stacks
 */
function isInScript (stacks) {
  const isOfApplication = (/** @type {Frame} */ frame) => ownerOf(frame) === 'application'
  const calleesIn = (/** @type {Frame[]} */ frames) => frames.slice(0, frames.findIndex(isOfApplication))
  const within = stacks.filter(({ frames }) => frames[0]?.file != null && !wrapsNative(frames) &&
    calleesIn(frames).some((frame) => ownerOf(frame) === 'generated'))
  return sum(within) * 2 > sum(stacks)
}

/** By stacks: profiles lack lines of calls. @param {BlockRecord} record @param {Sources} sources @returns {PassesOn} */
function passingIn ({ stacks }, sources) {
  const passing = stacks.flatMap(({ frames }) => frames).filter((frame) => sources.passesOn?.(frame))
  return (frame) => passing.some((each) => isSame(each, frame))
}

/** Null if nothing had a fifth. @param {CpuProfile} profile of it @param {Sources} sources @returns {Frame | null} */
exports.heaviestIn = (profile, sources) => {
  const stacks = profiledStacks(profile, sources, null)
  const frame = blame(stacks.map((stack) => ({ ...stack, lateMs: 0 })), sources.passesOn)
  const own = stacks.filter(({ frames }) => frame !== null && frames.some((each) => isSame(each, frame)))
  return frame !== null && sum(own) >= HARDLY * sum(stacks) ? frame : null
}

/** The functions that a stack shows during these calls. @type {Map<string, string[]>} */
const SHOWN_AS = new Map([[REG_EXP, [REG_EXP, ...SEARCHES]], [ROUND_TRIP, ['parse', 'stringify']]])

/** @typedef {{ frame: Frame, call: string | null }} Verdict */

/**
 * The stacks that show what the verdict says, at its line and with its call: those of interrupts if they were in time
 * and agree, else those of the profile. An interrupt answered after a native call shows the code that ran next.
 * @param {BlockRecord} record by interrupts @param {Verdict} verdict @param {StackRecord[]} profiled heaviest first
 * @returns {StackRecord[]}
 */
const drawnStacks = (record, verdict, profiled) => {
  const isThere = (/** @type {Frame} */ each) => isSame(verdict.frame, each)
  const seen = [...profiled, ...record.stacks].flatMap(({ frames }) => frames).find(isThere)
  if (seen === undefined) return record.stacks
  // One object for all stacks: records share their frames.
  const place = { ...seen, line: verdict.frame.line, column: verdict.frame.column }
  const isProfiled = profiled.some(({ frames }) => frames.some(isThere))
  const isLate = causeRow(record.cause).answersLate || isNativeBlock(record)
  if (isLate) return isProfiled ? toldBy(profiled, record.stacks, place, verdict.call) : record.stacks
  const stacks = record.stacks.map((stack) => moved(stack, record.frame, place))
  const agreeing = stacks.filter((stack) => agrees(stack, verdict))
  const isAgreed = weightOf(agreeing) * 2 > weightOf(stacks)
  return !isProfiled || isAgreed ? stacks : toldBy(profiled, record.stacks, place, verdict.call)
}

/** @param {StackRecord} stack @param {Verdict} verdict */
function agrees ({ frames }, { frame, call }) {
  const at = frames.findIndex((each) => isSame(frame, each) && each.line === frame.line)
  if (at === -1 || call === null) return at !== -1
  const names = SHOWN_AS.get(call) ?? [lastOf(call)]
  return frames.slice(0, at).some(({ function: name }) => names.includes(lastOf(name)))
}

/** Interrupts are answered at loop heads. @param {StackRecord} stack @param {Frame | null} from @param {Frame} place */
function moved (stack, from, place) {
  if (from === null || from.line === place.line || !isSame(from, place)) return stack
  const isHead = (/** @type {Frame} */ each) => isSame(from, each) && each.line === from.line
  return { ...stack, frames: stack.frames.map((each) => isHead(each) ? place : each) }
}

/**
 * Adds what a profile lacks: the verdict's line, the lines of its callers, and the built-in, which has no frame there.
 * @param {StackRecord[]} profiled @param {StackRecord[]} answered by interrupts @param {Frame} place
 * @param {string | null} call @returns {StackRecord[]}
 */
function toldBy (profiled, answered, place, call) {
  const within = answered.map(({ frames }) => frames.slice(frames.findIndex((each) => isSame(place, each)) + 1))
  const callers = within.find((frames, i) => frames.length < answered[i].frames.length) ?? []
  const builtin = { function: call, file: null, line: null, column: null }
  return profiled.map((stack) => {
    const at = stack.frames.findIndex((each) => isSame(place, each))
    if (at === -1) return stack
    const callees = stack.frames.slice(0, at)
    const outer = calledFrom(stack.frames.slice(at + 1), callers)
    const isShown = call === null || callees.some(({ function: name }) => lastOf(name) === lastOf(call))
    return { ...stack, frames: [...(isShown ? [] : [builtin]), ...callees, place, ...outer] }
  })
}

/** Either may lack some, since V8 inlines functions. @param {Frame[]} frames @param {Frame[]} callers */
function calledFrom (frames, callers) {
  let from = 0
  return frames.map((each) => {
    const at = callers.findIndex((caller, i) => i >= from && isSame(caller, each))
    if (at === -1) return each
    from = at + 1
    return callers[at]
  })
}

/** The last part of a name such as `exports.isMusl`. @param {string | null} name */
const lastOf = (name) => name?.split('.').pop()
exports.drawnStacks = drawnStacks
