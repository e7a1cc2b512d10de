'use strict'

const { heaviest, isSame, weightOf } = require('../frame')
const { loopAround } = require('../source/function-text')
const { REG_EXP } = require('../source/line-text')
const { causeRow } = require('../../tables/causes')
const { ENOUGH_SAMPLES, STACKS_IN_RECORD } = require('../../tables/limits')
const { ownerOf, packageNameOf } = require('../../util/code-owner')
const { shownStacks } = require('../../util/shown-stacks')

/** @import { BlockRecord, Frame } from '../../types' */

/** Answers of JavaScript take less. */
const PROMPT_MS = 2

/**
 * @typedef {{ weightMs: number, frames: Frame[], callees: string, callers: string }} StackText frames innermost first,
 * those below the blamed function as text (all if there is none), and the others as text, one a line
 * @typedef {object} BlockView what detectors work on
 * @property {BlockRecord} record
 * @property {BlockRecord[]} earlier blocks of the same place, oldest first, this one last
 * @property {string} growth of the function's time with the size of its input, empty if it is unknown
 * @property {boolean} isScript JavaScript computed @property {boolean} isCall one call took the time
 * @property {string | null} call the built-in that had the time: by the profile, else by a guess
 * @property {boolean} isPrompt several interrupts were answered at once
 * @property {string} times how often it was called, as text after its name; empty if unknown
 * @property {string} line text of the blamed line, empty if unknown
 * @property {string[]} lines of the file, empty if unknown @property {StackText[]} stacks
 * @property {number} totalMs of all stacks, including those that the record leaves out
 */

/**
 * @param {BlockRecord} record @param {string[]} lines @param {BlockRecord[]} earlier @param {string} growth
 * @returns {BlockView}
 */
exports.lookAt = (record, lines, earlier, growth) => {
  const { cause, durationMs, evidence, frame, probable, profile, samples } = record
  const { isCall = false, isScript = false } = causeRow(cause)
  // The name of a native function in a profile may be that of an earlier call (24.21).
  const isCertain = (/** @type {Frame} */ each) => each.file !== null || each.function === REG_EXP
  const { stacks, isProfiled } = shownStacks(record)
  // A profile without a call knows more than a guess at another line.
  const guess = profile && probable?.line !== frame?.line ? null : probable?.call ?? null
  const answerMs = evidence.answerMs ?? PROMPT_MS
  return {
    record,
    earlier,
    growth,
    isScript,
    isCall,
    call: profile?.builtin ? profile.call : guess,
    isPrompt: samples > ENOUGH_SAMPLES && answerMs < PROMPT_MS,
    // A call that delays the only answer for most of a block is one.
    times: isCall && samples === 1 && answerMs * 2 >= durationMs ? ' (one call)' : '',
    // The call was probably in the line that the record shows next to one in doubt.
    line: lines[(probable?.line ?? frame?.line ?? 0) - 1] ?? '',
    lines,
    stacks: stacks.map(({ weightMs, frames: all, isEntered }) => {
      const frames = isProfiled ? all.filter(isCertain) : all.slice(isEntered ? 1 : 0)
      const blamed = frame === null ? frames.length : Math.max(0, frames.findIndex((each) => isSame(each, frame)))
      return { weightMs, frames, callees: textOf(frames.slice(0, blamed)), callers: textOf(frames.slice(blamed)) }
    }),
    totalMs: stacks.length < STACKS_IN_RECORD ? weightOf(stacks) : durationMs
  }
}

/** Lines such as `node:fs readFileSync`, `npm:express handle` and `null sort`. @param {Frame[]} frames */
const textOf = (frames) => frames.map((frame) => {
  const file = `${frame.file}`
  return `${ownerOf(frame) === 'package' ? `npm:${packageNameOf(file)}` : file} ${frame.function}`
}).join('\n')

/**
 * The pick that stacks with half of the time share.
 * @param {BlockView} view @param {(stack: StackText) => string | null | undefined} pick
 */
exports.mostOf = ({ stacks, totalMs }, pick) => {
  const named = stacks.map((stack) => ({ name: pick(stack) ?? null, weightMs: stack.weightMs }))
  const most = heaviest(named.filter(({ name }) => name !== null), ({ name }) => `${name}`)
  return weightOf(most) * 2 >= totalMs ? most[0]?.name ?? null : null
}

/** @param {BlockView} view @param {(stack: StackText) => boolean | undefined} test */
exports.areMost = (view, test) => exports.mostOf(view, (stack) => test(stack) ? 'yes' : null) !== null

/** @param {BlockView} view @param {RegExp} pattern of a function */
exports.areIn = (view, pattern) =>
  exports.areMost(view, ({ callees, callers }) => pattern.test(`${callees}\n${callers}`))

/**
 * Whether the blamed function called one of these built-ins of V8 for most of the time.
 * @param {BlockView} view @param {...string} names
 */
exports.calls = (view, ...names) => view.call === null
  ? exports.areMost(view, ({ callees }) => names.some((name) => callees === `null ${name.replace('JSON.', '')}`))
  : names.includes(view.call)

/** The text of the innermost loop around the blamed line, empty without one. @param {BlockView} view */
exports.loopText = ({ lines, record: { frame } }) =>
  loopAround(lines, frame?.line ?? 0).map((line) => lines[line - 1]).join('\n')
