'use strict'

const { callIn, NO_CALL } = require('./call')
const { placeOf } = require('./place')
const { causeByProfile } = require('../cause')
const { listed } = require('../fold')
const { isOf, isSame, wrapsNative } = require('../frame')
const { isUnowned, profiledStacks, sum } = require('../profile/stacks')
const { builtinIn, DEAR, REPEATED, ROUND_TRIP } = require('../source/builtins')
const { functionAround } = require('../source/function-text')
const { REG_EXP } = require('../source/line-text')
const { causeRow } = require('../../tables/causes')

/**
 * @import { BlockParts, BlockRecord, Frame } from '../../types'
 * @import { PassesOn } from '../frame'
 * @import { CpuProfile } from '../profile/samples'
 * @import { ProfiledStack, Sources } from '../profile/stacks'
 * @import { Answer } from './candidates'
 */

/** Samples in wrappers of native calls that are more than an accident. */
const ENOUGH_IN_WRAPPERS = 3

/** @typedef {BlockRecord & { parts: BlockParts }} Measured */

/**
 * The record with the place and the cause that answers and profile show. Only samples of a profile are also in native
 * calls, as a signal triggers them. `stacks`: those of the profile that decided; the record shows what V8 sampled.
 * @param {Measured} record by answers @param {Answer[]} answers @param {CpuProfile | null} profile of its time
 * @param {Sources} sources @returns {{ record: Measured, stacks: ProfiledStack[] }}
 */
exports.withPlace = (record, answers, profile, sources) => {
  const passesOn = passingIn(answers, sources)
  const all = profile === null ? [] : profiledStacks(profile, sources, record.frame)
  const stacks = isUnowned(all) ? [] : all
  const view = { record, answers, profile, stacks, sources: { ...sources, passesOn } }
  const place = placeOf(view)
  const atLine = callIn(place, view)
  const { call, builtin, isOpen } = isInScript(all) ? NO_CALL : atLine
  const frame = place && { ...place.frame, ...(place.line && { column: atLine.column }) }
  if (profile === null) return { record: { ...record, frame }, stacks: [] }
  const betweenShare = place?.isAround ? 1 : shareInWrappers(stacks)
  const sampled = all.map((stack) => ({ ...stack, frames: stack.sampled }))
  const placed = {
    ...record,
    ...(place !== null && stacks.length > 0 && causeByProfile(record, { builtin, isOpen, betweenShare })),
    frame,
    leaf: call === null ? record.leaf : { function: call, file: null, line: null, column: null },
    profile: { samples: profile.samples.length, call, builtin, stacks: listed(sampled) }
  }
  return { record: placed, stacks: all }
}

/** The share of samples in Node's own code around native calls, 0 if not most. @param {ProfiledStack[]} stacks */
function shareInWrappers (stacks) {
  const within = sum(stacks.filter(({ frames }) => wrapsNative(frames)))
  return within * 2 > sum(stacks) && within >= ENOUGH_IN_WRAPPERS ? within / sum(stacks) : 0
}

/**
 * Whether most samples are in code made at run time: its caller (`vm`, say) is not a native call.
 * @param {ProfiledStack[]} stacks
 */
function isInScript (stacks) {
  const within = stacks.filter(({ frames }) => frames[0]?.file != null && !wrapsNative(frames) &&
    frames.slice(0, frames.findIndex(isOf('application'))).some(isOf('generated')))
  return sum(within) * 2 > sum(stacks)
}

/**
 * Functions that pass on, by answers: profiles lack lines of calls.
 * @param {Answer[]} answers @param {Sources} sources @returns {PassesOn}
 */
function passingIn (answers, sources) {
  const passing = answers.flatMap(({ frames }) => frames).filter((frame) => sources.passesOn?.(frame))
  return (frame) => passing.some((each) => isSame(each, frame))
}

/** Lines above the answered place that are searched. A call further up has hardly just returned. */
const LINES_ABOVE = 8
/** Built-ins that take long often enough to be suspected. Most calls of the others are short. */
const SUSPECTS = new Set([
  ...DEAR, ROUND_TRIP, REG_EXP, 'test', 'exec', 'match', 'matchAll', 'replace', 'replaceAll'
])
/**
 * The native call that probably returned just before a late stack: the only built-in that can take long just before the
 * answered place, in the same function.
 * @param {string[]} rows of the file @param {number} answered line, from 1, which may contain the call itself
 */
function probableCall (rows, answered) {
  const first = Math.max(functionAround(rows, answered)?.line ?? 1, answered - LINES_ABOVE)
  const calls = rows.slice(first - 1, answered).flatMap((row, i) => {
    const call = builtinIn(row, { rows })?.call ?? ''
    return SUSPECTS.has(call) ? [{ call, line: first + i }] : []
  })
  return calls.length === 1 ? calls[0] : null
}

/** The built-in that has probably taken the time of a line. @param {string} row */
function repeatedCall (row) {
  const builtin = builtinIn(row)
  return builtin !== null && REPEATED.has(builtin.call) ? builtin.call : null
}

/** @param {BlockRecord} record @param {Sources['runningRows']} rowsOf @returns {BlockRecord} */
exports.withProbableCall = (record, rowsOf) => {
  const { frame, cause, profile, leaf } = record
  if (frame === null || frame.file === null || frame.line === null || profile?.call) return record
  const { isOnCpu, isCall, isScript } = causeRow(cause)
  const isLate = isOnCpu && isCall && !frame.exact
  const isOwn = isScript && frame.exact && (leaf?.file === null || leaf?.function === frame.function)
  const rows = isLate || isOwn ? rowsOf(frame.file) : null
  if (rows === null) return record
  if (isLate) return { ...record, probable: probableCall(rows, frame.line) }
  const call = repeatedCall(rows[frame.line - 1] ?? '')
  return call === null ? record : { ...record, probable: { call, line: frame.line } }
}

exports.probableCall = probableCall
exports.repeatedCall = repeatedCall
