'use strict'

const { isInlinable, isNativeMethod } = require('./direct-call')
const { blamedFrame, isForeign } = require('../frame')
const { addTo, sumOf } = require('../../util/statistics')

/**
 * @import { Frame } from '../../types'
 * @import { ProfiledStack, Sources } from '../profile/stacks'
 * @import { Answer } from './candidates'
 */

/**
 * The stacks of a profile with functions to blame that it does not list, by answers to interrupts. V8 does not list
 * code that it optimized in its loop before the profile began, and leaves it out of stacks: its samples and those of
 * its calls are its caller's. Answers then show the caller mostly in a function with fewer samples.
 * @param {ProfiledStack[]} stacks @param {Answer[]} answers @param {Sources} sources @returns {ProfiledStack[]}
 */
exports.withUnlisted = (stacks, answers, sources) => {
  const answeredMs = sumOf(answers, 'weightMs')
  /** Samples by function, its calls included. @type {Map<string, number>} */
  const samples = new Map()
  for (const { frames, count } of stacks) {
    for (const name of new Set(frames.map(functionOf))) addTo(samples, name, count)
  }
  const byCaller = answersByCaller(answers)
  return stacks.flatMap((stack) => {
    const { frames, raw, gcRun, count, weightMs } = stack
    const at = frames.findIndex(isForeign)
    if (at === -1 || gcRun !== null) return [stack]
    // A profile lacks the lines of calls. Without a name, the function has to be in one line.
    const isInCall = frames.slice(0, at).some(hasFile)
    const key = isInCall && frames[at].function !== null ? functionOf(frames[at]) : lineOf(frames[at])
    const within = (byCaller.get(key) ?? []).map((answer) => ({ ...answer, ...callIn(answer, sources) }))
    const unlisted = within.filter(({ callees }) =>
      callees.length > 0 && (samples.get(functionOf(callees[0])) ?? 0) < count)
    const ms = sumOf(unlisted, 'weightMs') - sumOf(unlisted, 'lateMs')
    const inCallerMs = sumOf(within.filter(({ isInCaller }) => isInCaller), 'weightMs')
    if (ms <= inCallerMs || ms * 2 <= answeredMs) return [stack]
    return unlisted.map(({ callees, weightMs: answerMs, lateMs }) => {
      const part = (answerMs - lateMs) / ms
      return {
        ...stack,
        count: count * part,
        weightMs: weightMs * part,
        frames: frames.toSpliced(at, 0, ...callees),
        raw: raw.toSpliced(at, 0, ...callees),
        ticks: [],
        foreign: [],
        isUnlisted: true
      }
    })
  })
}

/** @typedef {Answer & { at: number }} Shown `at`: the innermost frame of a line or function */

/** Answers by the lines and functions that they show. @param {Answer[]} answers */
function answersByCaller (answers) {
  /** @type {Map<string, Shown[]>} */
  const callers = new Map()
  for (const answer of answers) {
    const keys = answer.frames.flatMap((frame, at) =>
      [lineOf(frame), functionOf(frame)].map((key) => /** @type {const} */ ([key, at])))
    for (const [key, at] of new Map(keys.reverse())) {
      const shown = callers.get(key) ?? []
      shown.push({ ...answer, at })
      callers.set(key, shown)
    }
  }
  return callers
}

/**
 * Direct callees of the function to blame, innermost first; empty if that function is to blame itself.
 * @param {Shown} answer @param {Sources} sources
 */
function callIn ({ frames, at }, { sourceRows, passesOn }) {
  const blamed = blamedFrame(frames, passesOn)
  if (blamed === null) return { callees: [], isInCaller: false }
  const callees = frames.slice(frames.indexOf(blamed), at)
  const callee = callees.findLast(hasFile)
  if (callee === undefined) return { callees, isInCaller: blamed === frames[at] }
  const { file, line } = frames[at]
  const row = sourceRows(`${file}`)?.[Number(line) - 1] ?? ''
  const isDirect = callees.every(isInlinable) && !isNativeMethod(row, frames[at], callee)
  return { callees: isDirect ? callees : [], isInCaller: false }
}

/** @param {Frame} frame */
const lineOf = ({ file, line }) => `${file}\n${line}`

/** @param {Frame} frame */
const hasFile = ({ file }) => file !== null

/** @param {Frame} frame */
const functionOf = ({ file, function: name }) => `${file}\n${name}`
