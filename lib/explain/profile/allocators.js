'use strict'

const { blamedFrame, isSame, ownerOf } = require('../frame')
const { allocatingLineOf } = require('../source/own-lines')
const { frameOf } = require('./profiled-stacks')

/** With fewer samples, shares are accidents. */
const ENOUGH_SAMPLES = 10
/** Most functions that are named, each with at least this share of all bytes. */
const MOST = 3
const LEAST_SHARE = 0.1

/**
 * @typedef {import('../../types').Frame} Frame
 * @typedef {import('../../types').AllocatorRecord} AllocatorRecord
 * @typedef {object} HeapNode
 * @property {import('./cpu-profile').ProfileNode['callFrame']} callFrame @property {number} selfSize bytes
 * @property {HeapNode[]} children
 * @typedef {{ head: HeapNode, samples: object[] }} HeapProfile as V8 gives it
 * @typedef {Pick<import('./profiled-stacks').Sources, 'original' | 'textOf' | 'passesOn'>} Sources
 */

/**
 * The functions that allocated most, heaviest first. V8 knows functions only, and those that it has inlined as part of
 * the outer one, so the line is that of the source which allocates, or the one in which stacks saw the function.
 * @param {HeapProfile} profile @param {import('../../types').BlockRecord} record @param {Sources} sources
 * @returns {AllocatorRecord[]}
 */
exports.allocatorsOf = ({ head, samples }, record, sources) => {
  if (samples.length < ENOUGH_SAMPLES) return []
  /** @type {Map<string, { frame: Frame, bytes: number }>} */
  const found = new Map()
  let allBytes = 0
  for (const { frames, bytes } of stacksOf(head, [])) {
    if (frames.some((frame) => ownerOf(frame) === 'own')) continue
    allBytes += bytes
    const frame = blamedFrame(frames.map(sources.original), sources.passesOn)
    if (frame === null) continue
    const key = `${frame.file}\n${frame.line}\n${frame.column}`
    found.set(key, { frame, bytes: (found.get(key)?.bytes ?? 0) + bytes })
  }
  return [...found.values()]
    .map(({ frame, bytes }) => ({ frame, share: bytes / allBytes }))
    .filter(({ share }) => share >= LEAST_SHARE)
    .sort((a, b) => b.share - a.share)
    .slice(0, MOST)
    .map(({ frame, share }) => ({ frame: lineIn(frame, record, sources), share: Math.round(share * 100) / 100 }))
}

/**
 * @param {HeapNode} node @param {Frame[]} callers innermost first
 * @returns {{ frames: Frame[], bytes: number }[]}
 */
function stacksOf ({ callFrame, selfSize, children }, callers) {
  const frames = callFrame.functionName === '(root)' ? [] : [frameOf({ callFrame }), ...callers]
  const below = children.flatMap((child) => stacksOf(child, frames))
  return selfSize > 0 ? [{ frames, bytes: selfSize }, ...below] : below
}

/**
 * The line of a function that allocates. @param {Frame} frame where it begins
 * @param {import('../../types').BlockRecord} record @param {Sources} sources
 * @returns {import('../../types').FrameRecord}
 */
function lineIn (frame, { stacks, profile }, { textOf }) {
  const { file, line: first } = frame
  const text = file === null || first === null ? null : textOf(file)
  const only = text === null ? null : allocatingLineOf(text, /** @type {number} */ (first), frame.column ?? 1)
  if (text !== null && only !== null) return { ...frame, line: only, column: text[only - 1].search(/\S|$/) + 1, exact: true }
  const seen = [...stacks, ...profile?.stacks ?? []].flatMap(({ frames, weightMs }) => {
    const own = frames.find((each) => isSame(each, frame) && (each.line ?? 0) > (first ?? 0))
    return own === undefined || frame.function === null ? [] : [{ own, weightMs }]
  })
  const heaviest = seen.sort((a, b) => b.weightMs - a.weightMs)[0]?.own
  return { ...frame, ...heaviest, exact: false }
}
