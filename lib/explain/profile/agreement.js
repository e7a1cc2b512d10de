'use strict'

const { isNative } = require('../cause')
const { weightOf } = require('../fold')
const { isSame } = require('../frame')
const { sum } = require('./profiled-stacks')

/** Fewer samples of a profile may be anywhere by chance, */
const ENOUGH_PROFILED = 3
/** and so may fewer answers. */
const ENOUGH_ANSWERED = 2

/** @typedef {import('../../types').Frame} Frame */
/** @typedef {import('../../types').BlockRecord} BlockRecord */
/** @typedef {import('./profiled').ProfiledStack} ProfiledStack */

/**
 * Whether both kinds of samples have most of the block in the function to blame. Interrupts find inlined functions; a
 * profile does not. @param {Frame} frame @param {BlockRecord} record @param {ProfiledStack[]} stacks
 */
function isAgreed (frame, record, stacks) {
  const isIn = (/** @type {{ frames: Frame[] }} */ { frames }) => frames.some((each) => isSame(each, frame))
  const answered = record.stacks.filter(isIn)
  const callers = answered.flatMap(({ frames }) => frames.slice(frames.findIndex((each) => isSame(each, frame))))
  const isBuiltIn = (/** @type {ProfiledStack} */ { blamed }) => callers.some((each) => isSame(each, blamed))
  const known = stacks.filter(({ frames }) => frames.some(({ file }) => file !== null))
  const profiled = known.filter((stack) => isIn(stack) || isBuiltIn(stack))
  const isProfiled = sum(known) < ENOUGH_PROFILED || sum(profiled) * 2 >= sum(known)
  // The only answer may be from another moment.
  const isLate = record.samples < ENOUGH_ANSWERED || isNative({ ...record.evidence, durationMs: record.durationMs })
  return isProfiled && (isLate || weightOf(answered) * 2 >= weightOf(record.stacks))
}

exports.isAgreed = isAgreed
