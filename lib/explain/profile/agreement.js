'use strict'

const { isNativeBlock } = require('../cause')
const { weightOf } = require('../fold')
const { isSame } = require('../frame')
const { sum } = require('./profiled-stacks')
const { ENOUGH_SAMPLES } = require('../../tables/samples')

/** Fewer samples of a profile may be anywhere by chance, */
const ENOUGH_PROFILED = 3
/** From this share of the samples on, they outweigh answers of other functions. */
const MOST = 0.75
/** Fewer answers may be anywhere by chance, too. */
const ENOUGH_ANSWERED = 2
/** If there are more answers than these, some have probably come in time. */
const FEW_ANSWERS = 2
/** 99 % of the answers of JavaScript take 0.9 ms at most. */
const PROMPT_MS = 2

/** @typedef {import('../../types').Frame} Frame */
/** @typedef {import('../../types').BlockRecord} BlockRecord */
/** @typedef {import('./profiled').ProfiledStack} ProfiledStack */

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
  const callers = answered.flatMap(({ frames }) => frames.slice(frames.findIndex((each) => isSame(each, frame))))
  const isBuiltIn = (/** @type {ProfiledStack} */ { blamed }) => callers.some((each) => isSame(each, blamed))
  const known = stacks.filter(({ frames }) => frames.some(({ file }) => file !== null))
  const profiled = known.filter((stack) => isIn(stack) || isBuiltIn(stack))
  if (sum(stacks) < ENOUGH_SAMPLES && !isNativeBlock(record)) return answered.length > 0
  const isProfiled = sum(known) < ENOUGH_PROFILED || sum(profiled) * 2 >= sum(known)
  // Code that does not check for interrupts is in no stack, however long it takes.
  const isClear = sum(profiled) > ENOUGH_PROFILED && sum(profiled) >= MOST * sum(known)
  return isProfiled && (areLate(record) || isClear || weightOf(answered) * 2 >= weightOf(record.stacks))
}

/** Whether the one or two answers came after calls that did not check for interrupts. @param {BlockRecord} record */
const areAfterCalls = ({ samples, evidence }) => samples <= FEW_ANSWERS && (evidence.answerMs ?? 0) >= PROMPT_MS

/** Whether answers show less than samples of a profile. @param {BlockRecord} record */
function areLate (record) {
  // The only answer may be from another moment.
  return record.samples < ENOUGH_ANSWERED || isNativeBlock(record)
}

exports.areLate = areLate
exports.areAfterCalls = areAfterCalls
exports.isAgreed = isAgreed
