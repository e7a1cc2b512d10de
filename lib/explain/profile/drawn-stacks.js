'use strict'

const { isNativeBlock } = require('../parts')
const { causeRow } = require('../../tables/causes')
const { weightOf } = require('../fold')
const { REG_EXP, ROUND_TRIP, SEARCHES } = require('../source/native-call')
const { isSame } = require('../frame')

/** @import { BlockRecord, Frame, StackRecord } from '../../types' */

/** The functions that a stack shows during these calls. @type {Map<string, string[]>} */
const SHOWN_AS = new Map([[REG_EXP, [REG_EXP, ...SEARCHES]], [ROUND_TRIP, ['parse', 'stringify']]])

/** @typedef {{ frame: Frame, call: string | null }} Verdict */

/**
 * The stacks that show what the verdict says, at its line and with its call: those of interrupts if they were in time
 * and agree, else those of the profile. An interrupt answered after a native call shows the code that ran next.
 * @param {BlockRecord} record by interrupts @param {Verdict} verdict @param {StackRecord[]} profiled heaviest first
 * @returns {StackRecord[]}
 */
exports.drawnStacks = (record, verdict, profiled) => {
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
