'use strict'

const { doubtOf, frameText } = require('./place-text')

/** @import { BlockRecord, FrameRecord } from '../types' */

/**
 * The stacks to draw of a block, all of one kind and as they were taken: the answers to interrupts, or the samples of
 * the CPU profile if calls held up the answers for most of the time of the code, or there is no answer; the other kind
 * if only that has the function of the line. A collection holds up answers, too, but its samples have no callers. A
 * record on the wire of a cluster has only one kind.
 * @param {Pick<BlockRecord, 'durationMs' | 'evidence' | 'frame' | 'parts' | 'profile' | 'stacks'>} record
 */
exports.shownStacks = ({ durationMs, evidence, frame, parts, profile, stacks }) => {
  const { waiting = 0, gc = 0 } = parts ?? {}
  const isLate = (evidence.nativeMs - gc) * 2 > durationMs - waiting - gc
  const sampled = profile?.stacks ?? []
  // A profile of an idle thread, say, has no function.
  const hasFunctions = sampled.some(({ frames }) => frames.some(({ file }) => file !== null))
  const [first, second] = isLate ? [sampled, stacks] : [stacks, sampled]
  const isSecondBetter = hasFunctionOf(frame, second) && !hasFunctionOf(frame, first)
  const isProfiled = hasFunctions && (stacks.length === 0 || isLate !== isSecondBetter)
  return { isProfiled, stacks: isProfiled ? sampled : stacks }
}

/** @param {FrameRecord | null} place @param {BlockRecord['stacks']} stacks */
const hasFunctionOf = (place, stacks) => stacks.some(({ frames }) => frames.some((frame) =>
  frame.file === place?.file && frame.function === place?.function))

/**
 * The mark of the concluded line in a stack that lacks it; null if the stack has it, or there is no such line.
 * @param {string[]} rows of the stack by frameText(), innermost first @param {FrameRecord | null} frame the conclusion
 * @returns {{ at: number, text: string } | null} `at`: the row of its function, -1 if that is not in the stack
 */
exports.conclusionIn = (rows, frame) => {
  if (frame === null || frame.line === null) return null
  const [begin] = frameText(frame).split(`:${frame.line}:`)
  if (rows.some((row) => row.startsWith(`${begin}:${frame.line}:`))) return null
  const at = rows.findIndex((row) => row.startsWith(`${begin}:`))
  return { at, text: `concluded: ${doubtOf(frame)}${at === -1 ? frameText(frame) : `line ${frame.line}`}` }
}

/**
 * The rows of a stack with the concluded line: next to its function, or in a row before the stack.
 * @param {string[]} rows @param {FrameRecord | null} frame @param {string} [indent] before each frame
 */
exports.markedRows = (rows, frame, indent = '') => {
  const mark = exports.conclusionIn(rows, frame)
  const lines = rows.map((row, i) => `${indent}at ${row}${mark?.at === i ? `, ${mark.text}` : ''}`)
  return mark?.at === -1 ? [`${indent}${mark.text}`, ...lines] : lines
}
