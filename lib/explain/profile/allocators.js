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
 * @typedef {import('../../types').FrameRecord} FrameRecord
 * @typedef {import('../../types').BlockRecord} BlockRecord
 * @typedef {import('../../types').AllocatorRecord} AllocatorRecord
 * @typedef {object} HeapNode
 * @property {import('./cpu-profile').ProfileNode['callFrame']} callFrame @property {number} selfSize bytes
 * @property {HeapNode[]} children
 * @typedef {{ head: HeapNode, samples: object[] }} HeapProfile as V8 gives it
 * @typedef {Pick<import('./profiled-stacks').Sources, 'original' | 'textOf' | 'passesOn'>} Sources
 */

/**
 * The functions that allocated most, heaviest first. V8 knows the function, not the line. So the line is the one that
 * allocates by its source, else where the block's stacks saw the function.
 * @param {HeapProfile} profile @param {BlockRecord} record @param {Sources} sources
 * @returns {AllocatorRecord[]}
 */
exports.allocatorsOf = ({ head, samples }, record, sources) => {
  if (samples.length < ENOUGH_SAMPLES) return []
  const stacks = stacksOf(head, [])
    .filter(({ frames }) => !frames.some((frame) => ownerOf(frame) === 'own'))
    .map(({ frames, bytes }) => ({ frames: frames.map(sources.original), bytes }))
  const known = stacks.flatMap(({ frames }) => frames)
  /** @type {Map<string, { frame: Frame, bytes: number }>} */
  const found = new Map()
  for (const { frames, bytes } of stacks) {
    const frame = blamedFrame(frames, sources.passesOn)
    if (frame === null) continue
    const key = `${frame.file}\n${frame.line}\n${frame.column}`
    found.set(key, { frame, bytes: (found.get(key)?.bytes ?? 0) + bytes })
  }
  const allBytes = stacks.reduce((sum, { bytes }) => sum + bytes, 0)
  return [...found.values()]
    .map(({ frame, bytes }) => ({ frame, share: Math.round(bytes / allBytes * 100) / 100 }))
    .filter(({ share }) => share >= LEAST_SHARE)
    .sort((a, b) => b.share - a.share)
    .slice(0, MOST)
    .map(({ frame, share }) => ({ frame: inlinedIn(frame, known, record) ?? lineIn(frame, record, sources), share }))
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
 * The blamed function, if V8 has inlined it into one that allocates: V8 counts its objects as those of the outer one.
 * @param {Frame} frame @param {Frame[]} known to V8's heap profile @param {BlockRecord} record
 * @returns {FrameRecord | null}
 */
function inlinedIn (frame, known, record) {
  const { frame: blamed } = record
  if (blamed === null || isSame(blamed, frame) || known.some((each) => isSame(each, blamed))) return null
  return placesIn(record, frame).some(({ callees }) => callees.some((each) => isSame(each, blamed)))
    ? blamed
    : null
}

/** @param {Frame} frame where it begins @param {BlockRecord} record @param {Sources} sources @returns {FrameRecord} */
function lineIn (frame, record, { textOf }) {
  const { file, line: first, column } = frame
  const text = file === null || first === null ? null : textOf(file)
  const only = text === null || first === null ? null : allocatingLineOf(text, first, column ?? 1)
  if (text !== null && only !== null) {
    return { ...frame, line: only, column: text[only - 1].search(/\S|$/) + 1, exact: true }
  }
  // The place of the whole record is surer than that of one stack.
  if (record.frame !== null && isSame(record.frame, frame)) return { ...record.frame, exact: false }
  const [heaviest] = placesIn(record, frame)
    .filter(({ own }) => (own.line ?? 0) > (first ?? 0))
    .sort((a, b) => b.weightMs - a.weightMs)
  return { ...frame, line: heaviest?.own.line ?? first, column: heaviest?.own.column ?? column, exact: false }
}

/**
 * Where the block's stacks show a function, and what it called there.
 * @param {BlockRecord} record @param {Frame} frame
 */
function placesIn ({ stacks, profile }, frame) {
  if (frame.function === null) return []
  return [...stacks, ...profile?.stacks ?? []].flatMap(({ frames, weightMs }) => {
    const at = frames.findIndex((each) => isSame(each, frame))
    return at === -1 ? [] : [{ own: frames[at], callees: frames.slice(0, at), weightMs }]
  })
}
