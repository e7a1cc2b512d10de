'use strict'

const { isSame } = require('../frame')
const { isNativeBlock } = require('../parts')
const { bodyOf } = require('../source/loop-body')
const { REG_EXP } = require('../source/native-call')
const { causeRow } = require('../../tables/causes')
const { ENOUGH_SAMPLES, STACKS_IN_RECORD } = require('../../tables/limits')
const { ownerOf, packageNameOf } = require('../../util/code-owner')
const { shownStacks } = require('../../util/shown-stacks')

/** @import { BlockRecord, Frame } from '../../types' */

/** Number of lines above the blamed one that are searched for the loop around it. */
const ABOVE = 200
/** The head of a loop that is a statement. */
const STATEMENT = /^\s*(?:\w+:\s*)?(?:for|while|do)\b/
/** Answers of JavaScript take less. */
const PROMPT_MS = 2
exports.MANY_CALLS = ' (many calls)'

/**
 * @typedef {object} BlockView what detectors work on
 * @property {BlockRecord} record
 * @property {BlockRecord[]} earlier blocks of the same place, oldest first, this one last
 * @property {boolean} isScript JavaScript computed
 * @property {string | null} call the built-in that had the time: by the profile, else by a guess
 * @property {boolean} isPrompt several interrupts were answered at once
 * @property {string} times how often it was called, as text after its name; empty if unknown
 * @property {string} line text of the blamed line, empty if unknown
 * @property {string[]} lines of the file, empty if unknown
 * @property {{ weightMs: number, frames: Frame[], callees: Frame[] }[]} stacks innermost frames first; `callees`: those
 * below the blamed function, all without one
 * @property {number} totalMs of all stacks, including those that the record leaves out
 */

/** @param {BlockRecord} record @param {string[] | null} lines @param {BlockRecord[]} earlier @returns {BlockView} */
exports.lookAt = (record, lines, earlier) => {
  const { cause, durationMs, evidence, frame, probable, profile, samples } = record
  const { isScript = false } = causeRow(cause)
  // The name of a native function in a profile may be that of an earlier call (24.21).
  const isCertain = (/** @type {Frame} */ each) => each.file !== null || each.function === REG_EXP
  const { stacks: shown, isProfiled } = shownStacks(record)
  const stacks = shown.map(({ weightMs, frames, isEntered }) =>
    ({ weightMs, frames: isProfiled ? frames.filter(isCertain) : frames.slice(isEntered ? 1 : 0) }))
  // A profile without a call knows more than a guess at another line.
  const guess = profile && probable?.line !== frame?.line ? null : probable?.call ?? null
  const call = profile?.builtin ? profile.call : guess
  const isPrompt = samples > ENOUGH_SAMPLES && (evidence.answerMs ?? PROMPT_MS) < PROMPT_MS
  return {
    record,
    earlier,
    isScript,
    call,
    isPrompt,
    times: timesOf(record, call, isPrompt && !isNativeBlock(record)),
    // If the line is not exact, the call was probably in the line that is shown next to it.
    line: lines?.[(probable?.line ?? frame?.line ?? 0) - 1] ?? '',
    lines: lines ?? [],
    stacks: stacks.map(({ weightMs, frames }) => {
      const blamed = frames.findIndex((each) => isSame(each, frame))
      return { weightMs, frames, callees: frame === null ? frames : frames.slice(0, Math.max(0, blamed)) }
    }),
    totalMs: stacks.length < STACKS_IN_RECORD ? stacks.reduce((sum, { weightMs }) => sum + weightMs, 0) : durationMs
  }
}

/**
 * A call that delays the only answer for most of a block is one. JSON.parse answers nothing while it runs, so several
 * prompt answers come from between many calls.
 * @param {BlockRecord} record @param {string | null} call @param {boolean} isPrompt
 */
function timesOf ({ cause, durationMs, evidence: { answerMs }, samples }, call, isPrompt) {
  const isOne = causeRow(cause).isCall && samples === 1 && (answerMs ?? 0) * 2 >= durationMs
  return isOne ? ' (one call)' : isPrompt && call === 'JSON.parse' ? exports.MANY_CALLS : ''
}

/**
 * What is true of stacks with at least half of the time; null if nothing is.
 * @param {BlockView} view @param {(callees: Frame[], frames: Frame[]) => string | null | undefined} pick
 */
exports.mostOf = ({ stacks, totalMs }, pick) => {
  /** @type {Map<string, number>} */
  const weights = new Map()
  for (const { weightMs, frames, callees } of stacks) {
    const name = pick(callees, frames)
    if (name == null) continue
    weights.set(name, (weights.get(name) ?? 0) + weightMs)
  }
  return [...weights].find(([, weightMs]) => weightMs * 2 >= totalMs)?.[0] ?? null
}

/** @param {BlockView} view @param {(callees: Frame[], frames: Frame[]) => boolean | undefined} test */
exports.areMost = (view, test) => exports.mostOf(view, (...both) => test(...both) ? 'yes' : null) !== null

/** @param {Frame} frame */
exports.packageOf = (frame) => ownerOf(frame) === 'package' ? packageNameOf(`${frame.file}`) : null

/** The package that did the work, if it is one of these. @param {BlockView} view @param {Set<string>} names */
exports.packageIn = (view, names) => {
  const isOne = (/** @type {string | null | undefined} */ name) => names.has(`${name}`)
  const { name } = view.record.package ?? {}
  return name !== undefined && isOne(name)
    ? name
    : exports.mostOf(view, (callees) => callees.map(exports.packageOf).find(isOne))
}

/**
 * Whether the blamed function has called one of these built-ins of V8, and no other is known.
 * @param {BlockView} view @param {...string} names
 */
exports.isIn = (view, ...names) => view.call === null && exports.areMost(view, ([innermost, caller]) =>
  caller === undefined && innermost?.file === null && names.includes(`${innermost.function}`))

/**
 * The text of the innermost loop, or callback for each element, around a line. `isLoop`: it is a statement.
 * @param {BlockView} view @returns {{ text: string, isLoop: boolean } | null}
 */
exports.loopAround = ({ lines, record: { frame } }) => {
  const line = frame?.line ?? 0
  for (let head = line; head > 0 && head >= line - ABOVE; head--) {
    const code = bodyOf(lines, head)
    const isAround = code.length > 0 && (head === line || code.includes(line))
    if (!isAround) continue
    return { text: [head, ...code].map((each) => lines[each - 1]).join('\n'), isLoop: STATEMENT.test(lines[head - 1]) }
  }
  return null
}
