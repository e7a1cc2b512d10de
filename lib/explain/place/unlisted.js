'use strict'

const { isInlinable, isNativeMethod } = require('./direct-call')
const { blamedFrame } = require('../frame')
const { addTo, sumOf } = require('../../util/statistics')

/**
 * @import { Frame } from '../../types'
 * @import { ProfiledStack, Sources } from '../profile/stacks'
 * @import { Answer } from './candidates'
 */

/**
 * The stacks of a profile with functions to blame that it does not list, by answers to interrupts. V8 does not list
 * code that it optimised in its loop before the profile began, and counts its samples for the line that called it.
 * Answers then show that line mostly in a function that has fewer samples.
 * @param {ProfiledStack[]} stacks @param {Answer[]} answers @param {Sources} sources @returns {ProfiledStack[]}
 */
exports.withUnlisted = (stacks, answers, sources) => {
  const answeredMs = sumOf(answers, 'weightMs')
  /** Samples of functions themselves. @type {Map<string, number>} */
  const ownSamples = new Map()
  for (const { frames, count } of stacks) addTo(ownSamples, nameOf(frames.find(hasFile)), count)
  const byLine = answersByLine(answers)
  return stacks.flatMap((stack) => {
    const { frames, raw, gcRun, count, weightMs } = stack
    const at = frames.findIndex(hasFile)
    if (at === -1 || gcRun !== null) return [stack]
    const within = (byLine.get(lineOf(frames[at])) ?? []).map((answer) => ({ ...answer, ...callIn(answer, sources) }))
    const unlisted = within.filter(({ callees }) =>
      callees.length > 0 && (ownSamples.get(nameOf(callees[0])) ?? 0) < count)
    const ms = sumOf(unlisted, 'weightMs') - sumOf(unlisted, 'lateMs')
    const inLineMs = sumOf(within.filter(({ isInLine }) => isInLine), 'weightMs')
    if (ms <= inLineMs || ms * 2 <= answeredMs) return [stack]
    return unlisted.map(({ callees, weightMs: answerMs, lateMs }) => {
      const part = (answerMs - lateMs) / ms
      return {
        ...stack,
        count: count * part,
        weightMs: weightMs * part,
        frames: [...callees, ...frames.slice(at)],
        raw: [...callees, ...raw.slice(at)],
        ticks: [],
        foreign: [],
        isUnlisted: true
      }
    })
  })
}

/** @typedef {Answer & { at: number }} Shown `at`: the innermost frame of a line */

/** Answers by the lines that they show. @param {Answer[]} answers */
function answersByLine (answers) {
  /** @type {Map<string, Shown[]>} */
  const lines = new Map()
  for (const answer of answers) {
    const ats = new Map(answer.frames.map((frame, at) => /** @type {const} */ ([lineOf(frame), at])).reverse())
    for (const [line, at] of ats) {
      const shown = lines.get(line) ?? []
      shown.push({ ...answer, at })
      lines.set(line, shown)
    }
  }
  return lines
}

/**
 * What a line called directly, from the function to blame on, innermost first; empty if that has the line.
 * @param {Shown} answer @param {Sources} sources
 */
function callIn ({ frames, at }, { sourceRows, passesOn }) {
  const blamed = blamedFrame(frames, passesOn)
  if (blamed === null) return { callees: [], isInLine: false }
  const callees = frames.slice(frames.indexOf(blamed), at)
  const callee = callees.findLast(hasFile)
  if (callee === undefined) return { callees, isInLine: blamed === frames[at] }
  const { file, line } = frames[at]
  const row = sourceRows(`${file}`)?.[Number(line) - 1] ?? ''
  const isDirect = callees.every(isInlinable) && !isNativeMethod(row, frames[at], callee)
  return { callees: isDirect ? callees : [], isInLine: false }
}

/** @param {Frame} frame */
const lineOf = ({ file, line }) => `${file}\n${line}`

/** @param {Frame} frame */
const hasFile = ({ file }) => file !== null

/** @param {Frame | undefined} frame */
const nameOf = (frame) => `${frame?.file}\n${frame?.function}`
