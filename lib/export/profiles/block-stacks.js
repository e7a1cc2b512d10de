'use strict'

const { excuseOf } = require('../../tables/causes')
const { shownStacks } = require('../../util/shown-stacks')
const { sharesOf } = require('../culprits')

/** @import { BlockRecord, Frame, StackRecord } from '../../types' */

/** Least time that counts as not sampled: less comes from rounded weights in records. */
const LEAST_MS = 0.5

/** Blocks share most of their frames. @type {WeakMap<Frame, string>} */
const keys = new WeakMap()

/** Equal for equal frames: a function at one of its lines. @param {Frame} frame */
exports.keyOf = (frame) => {
  let key = keys.get(frame)
  if (key === undefined) keys.set(frame, key = `${frame.function}\n${frame.file}\n${frame.line}`)
  return key
}

/** Stands for time without a stack. @param {string} name @returns {Frame} */
exports.namedFrame = (name) => ({ function: name, file: null, line: null, column: null })

/** @param {{ weightMs: number }[]} stacks */
const sampledIn = (stacks) => stacks.reduce((ms, { weightMs }) => ms + weightMs, 0)

/**
 * The time of a block by stack, which adds up to the block, with the same parts as the culprits: the code's own time,
 * and what nobody's code answers for. `cause`: of time without a stack; null if the code was not sampled.
 * @param {BlockRecord} record
 * @returns {(Pick<StackRecord, 'count' | 'weightMs' | 'frames'> & { cause?: string | null })[]}
 */
exports.stacksOfBlock = (record) => sharesOf([record]).flatMap(({ isPart, cause, durationMs }) => {
  const hasCode = !isPart && excuseOf(cause) === undefined
  const { stacks } = hasCode ? shownStacks(record) : { stacks: [] }
  // Samples of a profile may stand for more time than the block has.
  const scale = durationMs / Math.max(record.durationMs, sampledIn(stacks))
  const own = stacks.map(({ count, weightMs, frames }) => ({ count, weightMs: weightMs * scale, frames }))
  const missingMs = durationMs - sampledIn(own)
  const rest = { count: 0, weightMs: missingMs, frames: [], cause: hasCode ? null : cause }
  return missingMs < LEAST_MS ? own : [...own, rest]
})
