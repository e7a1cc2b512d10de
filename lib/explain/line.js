'use strict'

const { causeRow } = require('../tables/causes')
const { weightOf } = require('./fold')
const { isSame } = require('./frame')
const { isNativeBlock } = require('./parts')
const { mayBeBuiltIn } = require('./profile/profiled-function')
const { sum } = require('./profile/profiled-stacks')
const { answersForOthers } = require('./source/loop-body')
const { mayCallOther } = require('./source/native-call')
const { ENOUGH_SAMPLES, MOST } = require('../tables/limits')
const { US_PER_MS } = require('../util/units')

/**
 * @import { BlockRecord, Frame, FrameRecord } from '../types'
 * @import { CpuProfile } from './profile/cpu-profile'
 * @import { ProfiledStack } from './profile/profiled'
 */

/** Fewer samples of a profile may be anywhere by chance. */
const ENOUGH_PROFILED = 3

/** 99% of the answers of JavaScript take 0.9 ms at most. */
const PROMPT_MS = 2

/**
 * @typedef {object} Candidates of one block
 * @property {BlockRecord} record as the stacks give it: its frame is their candidate
 * @property {Profiled | null} profiled null if the profile names no function
 * @typedef {object} Profiled the function with most of the time in a CPU profile, and what is known about its line
 * @property {Frame} blamed the function, where it begins
 * @property {FrameRecord | null} line the one with most samples, those in its calls included; exact if they are enough
 * @property {FrameRecord | null} late its place in stacks
 * @property {boolean} isHead `late` is where the function begins
 * @property {string | null} call what took the time there: a callee or a built-in
 * @property {boolean} isOpen the line calls a built-in, once or often: there is no way to know
 * @property {boolean} isOpenLine samples are in a callee, in several lines or in collections: stacks may show another
 * @property {boolean} isCalledBy the function that stacks show calls it in the profile
 * @property {FrameRecord | null} allocates the line that allocates what was collected, if collections took most time
 * @property {boolean} isBuiltInto V8 has inlined another function into it, which stacks show
 * @typedef {{ frame: FrameRecord | null, call: string | null }} Line
 * @typedef {'stacks' | 'profile' | 'source' | 'allocation'} Evidence
 */

/** @param {Frame | null} frame @returns {FrameRecord | null} */
const doubtful = (frame) => frame && { ...frame, exact: false }

/** @type {{ evidence: Evidence, when: string, place: (p: Profiled, record: BlockRecord) => FrameRecord | null }[]} */
const ofFunction = [
  {
    evidence: 'stacks',
    when: 'V8 inlined the function that stacks show into the one that the profile names',
    place: ({ isBuiltInto }, { frame }) => isBuiltInto ? frame : null
  },
  {
    evidence: 'allocation',
    when: 'collections took most of the time, and only one line near the samples allocates',
    place: ({ allocates }) => allocates
  },
  {
    evidence: 'profile',
    when: 'samples are in a line, or in calls that only it makes (`≈` unless they clearly outnumber the others, and no other line has a callback that V8 may have inlined)',
    place: ({ line }) => line
  },
  {
    evidence: 'stacks',
    when: 'a stack shows the function, not only at its head (`≈` if samples do not agree on a line)',
    place: ({ late, isHead, isOpenLine }) => late === null || isHead ? null : isOpenLine ? doubtful(late) : late
  },
  {
    evidence: 'profile',
    when: 'otherwise: where the function begins (`≈`)',
    place: ({ blamed }) => doubtful(blamed)
  }
]

/**
 * V8 attributes a collection to the function sampled before it, which may be the caller of the one that stacks show.
 * @param {FrameRecord} place by the profile @param {BlockRecord} record @param {boolean} isCalledBy
 */
function areSurer (place, record, isCalledBy) {
  const { frame, samples, stacks, cause } = record
  // A caller answers interrupts for a function that does not check for them.
  if (place.exact || isSame(frame, place) || isCalledBy) return false
  const isWithin = stacks.some(({ frames }) => frames.slice(1).some((each) => isSame(place, each)))
  const isTimely = frame?.exact === true && !isNativeBlock(record) && !areAfterCalls(record)
  if (isTimely) return samples >= ENOUGH_SAMPLES || isWithin
  return causeRow(cause).blamesAllocation === true && frame !== null && isWithin
}

/** First row with a place decides. Printed in docs/use/record.md. @type {{ evidence: Evidence, when: string }[]} */
const table = [
  {
    evidence: 'stacks',
    when: 'no profile, or a single sample and stacks in time, or mostly one collection of unknown origin'
  },
  {
    evidence: 'stacks',
    when: 'the rows below are in doubt, and stacks show another function in time'
  },
  ...ofFunction.map(({ evidence, when }) => ({ evidence, when }))
]

/** `row`: its index in the table. @param {Candidates} candidates @returns {Line & { row: number }} */
function lineOf ({ record, profiled }) {
  const { frame } = record
  if (profiled === null) return { frame, call: null, row: 0 }
  const places = ofFunction.map(({ place }) => place(profiled, record))
  const at = places.findIndex((place) => place !== null)
  const place = /** @type {FrameRecord} */ (places[at])
  if (areSurer(place, record, profiled.isCalledBy)) return { frame, call: null, row: 1 }
  return { frame: place, call: profiled.call, row: at + 2 }
}

/**
 * @typedef {object} Place
 * @property {FrameRecord} frame exact as far as its own evidence goes @property {Evidence} evidence that chose it
 * @property {BlockRecord} record as the stacks give it
 * @property {CpuProfile | null} profile @property {ProfiledStack[]} stacks of the profile
 * @property {(file: string) => string[] | null} textOf a file
 */

/**
 * What leaves a line in doubt whose own evidence is clear. Printed in docs/use/record.md.
 * @type {{ when: string, applies: (place: Place) => boolean }[]}
 */
const doubts = [
  {
    when: 'its file was compiled in memory, and no source map is known: the line is that of the code that runs',
    applies: ({ frame }) => frame.compiled === true
  },
  {
    when: 'it is only the end of a loop or a function (`}`, `return total`), which takes no time: V8 attributed the body to it',
    applies: ({ frame, textOf }) => END.test(textIn(frame, textOf) ?? '')
  },
  {
    when: 'only stacks show it, and the cause is unknown: a thread that is held up can be at any line',
    applies: ({ evidence, record }) => evidence === 'stacks' && isHeldUp(record)
  },
  {
    when: 'there are no stacks, and the profile covers less than half of the block',
    applies: ({ profile, record: { samples, durationMs } }) => profile !== null && samples === 0 &&
      2 * (profile.endTime - profile.startTime) < durationMs * US_PER_MS
  },
  {
    when: 'most samples of the profile, or most stacks, are in other functions',
    applies: ({ frame, profile, record, stacks }) => profile !== null && !isAgreed(frame, record, stacks)
  },
  {
    when: 'V8 counts lines for a whole profile, of which the block is a small part, and no stack shows the line',
    applies: ({ evidence, frame, record, stacks }) =>
      evidence === 'profile' && isBorrowed(frame, stacks) && record.frame?.line !== frame.line
  },
  {
    when: 'only one or two stacks show it, taken late: a call before that line may have delayed them',
    applies: ({ evidence, record }) => evidence === 'stacks' && areAfterCalls(record)
  },
  {
    when: 'only stacks show it, and more than a quarter of those of its function are in other lines',
    applies: ({ evidence, frame, record }) => evidence === 'stacks' && shareOf(frame, record) < MOST
  },
  {
    when: 'only stacks show it: taken late, where a function or a loop begins, or next to a line that makes a call',
    applies: (place) => place.evidence === 'stacks' && mayBeElsewhere(place)
  }
]

/** Brackets, or a jump with a plain value: they take no time. */
const END = /^[\s)\]};,]*(?:[)\]}]|\b(?:return|break|continue)(?:\s+[\w$]+)?)[\s)\]};,]*(?:\/\/.*)?$/

/** @param {Frame} frame @param {Place['textOf']} textOf */
const textIn = ({ file, line }, textOf) => file === null || line === null ? null : textOf(file)?.[line - 1] ?? null

/** @param {Pick<BlockRecord, 'cause'>} record */
const isHeldUp = ({ cause }) => cause === 'unknown'

/** @param {Place} place @returns {FrameRecord} */
const judged = (place) =>
  ({ ...place.frame, exact: place.frame.exact && !doubts.some(({ applies }) => applies(place)) })

/** @param {Frame} frame @param {ProfiledStack[]} stacks */
function isBorrowed (frame, stacks) {
  const own = stacks.filter(({ blamed }) => isSame(blamed, frame))
  return sum(own.filter((stack) => stack.isBorrowed)) * 2 > sum(own)
}

/** The part of its function's time that a line has in the stacks. @param {Frame} frame @param {BlockRecord} record */
function shareOf (frame, { stacks }) {
  const inFunction = stacks.flatMap(({ weightMs, frames }) => {
    const line = frames.find((each) => isSame(each, frame))?.line
    return line == null ? [] : [{ weightMs, line }]
  })
  const onLine = inFunction.filter(({ line }) => line === frame.line)
  // A line that is in no stack has been found by other means.
  return onLine.length === 0 ? 1 : weightOf(onLine) / weightOf(inFunction)
}

/** It takes no time, and V8 shows its frame. */
const CLOCK = /\b(?:performance|Date)\.now\(\)/g

/** Whether other code than that of the line may have taken the time. @param {Place} place */
function mayBeElsewhere ({ frame, record, profile, textOf }) {
  const isThere = (/** @type {Frame | undefined} */ each) =>
    each !== undefined && isSame(each, frame) && each.line === frame.line
  const there = record.stacks.filter(({ frames }) => frames.some(isThere))
  // A function of JavaScript that the line has called was caught in the act.
  const calling = there.filter(({ frames: [innermost] }) => innermost.file !== null && !isThere(innermost))
  const isCaught = weightOf(calling) * 2 > weightOf(there)
  // What delays answers is not in them, and not always a call: products of large BigInts, for example.
  if (!isCaught && profile === null && !isNativeBlock(record) && hasLateAnswers(record)) return true
  const text = isCaught || frame.file === null || frame.compiled ? null : textOf(frame.file)
  if (text === null || frame.line === null) return false
  return answersForOthers(text, frame.line) || mayCallOther((text[frame.line - 1] ?? '').replace(CLOCK, ''))
}

/**
 * Whether both kinds of samples have most of the block in the function to blame. Interrupts find inlined functions; a
 * profile does not. A function without loops may answer none: then they find the line of its caller.
 * @param {Frame} frame @param {BlockRecord} record @param {ProfiledStack[]} stacks
 */
function isAgreed (frame, record, stacks) {
  const isIn = (/** @type {{ frames: Frame[] }} */ { frames }) => frames.some((each) => isSame(each, frame))
  const own = stacks.filter(({ blamed }) => isSame(blamed, frame))
  // What it called has frames in the profile, and none in the stacks: V8 has inlined it.
  if (sum(stacks.filter((stack) => isIn(stack) && stack.blamed !== null)) > 2 * sum(own)) return false
  const calling = own.flatMap(({ frames }) => frames[1 + frames.findIndex((each) => isSame(each, frame))] ?? [])
  const isInCaller = (/** @type {{ frames: Frame[] }} */ { frames }) =>
    calling.some((each) => isSame(each, frames[0] ?? null))
  const answered = record.stacks.filter((stack) => isIn(stack) || isInCaller(stack))
  const callers = answered.flatMap(({ frames }) => {
    const outer = frames.slice(frames.findIndex((each) => isSame(each, frame)))
    const last = outer.findIndex((each) => !mayBeBuiltIn(each))
    return last === -1 ? outer : outer.slice(0, last)
  })
  const isBuiltIn = (/** @type {ProfiledStack} */ { blamed }) => callers.some((each) => isSame(each, blamed))
  const known = stacks.filter(({ frames }) => frames.some(({ file }) => file !== null))
  // C++ that no JavaScript has called, such as reading a large message, took the time.
  if (sum(stacks.filter(isProgram)) > sum(known)) return false
  const profiled = known.filter((stack) => isIn(stack) || isBuiltIn(stack))
  if (sum(stacks) < ENOUGH_SAMPLES && !isNativeBlock(record)) return answered.length > 0
  const isProfiled = sum(known) < ENOUGH_PROFILED || sum(profiled) * 2 >= sum(known)
  // Code that does not check for interrupts is in no stack, however long it takes.
  const isClear = sum(profiled) > ENOUGH_PROFILED && sum(profiled) >= MOST * sum(known)
  return isProfiled && (areLate(record) || isClear || weightOf(answered) * 2 >= weightOf(record.stacks))
}

/** @param {ProfiledStack} stack */
const isProgram = ({ frames: [innermost] }) => innermost?.file === null && innermost.function === '(program)'

/** Whether answers show less than samples of a profile. @param {BlockRecord} record */
function areLate (record) {
  // The only answer may be from another moment.
  return record.samples < ENOUGH_SAMPLES || isNativeBlock(record)
}

/** Whether answers are late, other than by waiting for a CPU. @param {BlockRecord} record */
const hasLateAnswers = ({ durationMs, evidence: { answerMs, runQueueMs } }) =>
  (answerMs ?? 0) >= PROMPT_MS && (runQueueMs ?? 0) * 5 < durationMs

/** Whether the one or two answers came after calls that did not check for interrupts. @param {BlockRecord} record */
const areAfterCalls = ({ samples, evidence }) => samples <= ENOUGH_SAMPLES && (evidence.answerMs ?? 0) >= PROMPT_MS

exports.areLate = areLate
exports.doubts = doubts
exports.isHeldUp = isHeldUp
exports.judged = judged
exports.lineOf = lineOf
exports.table = table
