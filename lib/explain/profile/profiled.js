'use strict'

const { blame, isOf, isSame, wrapsNative } = require('../frame')
const { causeByProfile } = require('../cause')
const { listed } = require('../fold')
const { callIn, columnIn, NO_CALL } = require('../place/call')
const { placeOf } = require('../place/place')
const { isUnowned, profiledStacks, sum } = require('./profiled-stacks')

/**
 * @import { BlockParts, BlockRecord, Frame } from '../../types'
 * @import { PassesOn } from '../frame'
 * @import { Answer } from '../place/lines'
 * @import { CpuProfile } from './cpu-profile'
 * @import { ProfiledStack, Sources } from './profiled-stacks'
 */

/** A function with a smaller share of the samples did not take the time. */
const HARDLY = 0.2
/** This many samples in wrappers of native calls are not an accident. */
const ENOUGH_IN_WRAPPERS = 3

/** @typedef {BlockRecord & { parts: BlockParts }} Measured */

/**
 * With the place and the cause that all evidence shows. A signal triggers the samples of a profile, so they are also in
 * native calls, and correct a place that was taken after such a call. `stacks`: those of the profile that decided; the
 * record has what V8 sampled.
 * @param {Measured} record by answers @param {Answer[]} answers @param {CpuProfile | null} profile of its time
 * @param {Sources} sources @returns {{ record: Measured, stacks: ProfiledStack[] }}
 */
exports.withPlace = (record, answers, profile, sources) => {
  const passesOn = passingIn(answers, sources)
  const all = profile === null ? [] : profiledStacks(profile, sources, record.frame)
  const stacks = isUnowned(all) ? [] : all
  const view = { record, answers, profile, stacks, sources: { ...sources, passesOn } }
  const place = placeOf(view)
  const line = place?.line ?? null
  const atLine = line === null ? NO_CALL : callIn(line, view)
  const { call, builtin, isOpen } = isInScript(all) ? NO_CALL : atLine
  const frame = place && { ...place.frame, ...(line && { column: columnIn(line, atLine, view) }) }
  if (profile === null) return { record: { ...record, frame }, stacks: [] }
  const betweenShare = place?.isAround ? 1 : shareInWrappers(stacks)
  const shown = { builtin: builtin && call !== null, isOpen, betweenShare }
  const sampled = all.map((stack) => ({ ...stack, frames: stack.sampled }))
  const placed = {
    ...record,
    ...(place !== null && stacks.length > 0 && causeByProfile(record, shown)),
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
 * Code made at run time, which the application called, has most samples: its caller (`vm`, say) is no native call.
 * @param {ProfiledStack[]} stacks
 */
function isInScript (stacks) {
  const within = stacks.filter(({ frames }) => frames[0]?.file != null && !wrapsNative(frames) &&
    frames.slice(0, frames.findIndex(isOf('application'))).some(isOf('generated')))
  return sum(within) * 2 > sum(stacks)
}

/** By answers: profiles lack lines of calls. @param {Answer[]} answers @param {Sources} sources @returns {PassesOn} */
function passingIn (answers, sources) {
  const passing = answers.flatMap(({ frames }) => frames).filter((frame) => sources.passesOn?.(frame))
  return (frame) => passing.some((each) => isSame(each, frame))
}

/** Null if nothing had a fifth. @param {CpuProfile} profile of it @param {Sources} sources @returns {Frame | null} */
exports.heaviestIn = (profile, sources) => {
  const stacks = profiledStacks(profile, sources, null)
  const frame = blame(stacks, sources.passesOn)
  const own = stacks.filter(({ frames }) => frames.some((each) => isSame(each, frame)))
  return sum(own) >= HARDLY * sum(stacks) ? frame : null
}
