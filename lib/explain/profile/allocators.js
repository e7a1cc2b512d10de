'use strict'

const { blamedFrame, isSame } = require('../frame')
const { allocatingLineOf } = require('../source/own-lines')
const { frameOf } = require('./profiled-stacks')
const { ownerOf } = require('../../util/code-owner')

/** With fewer samples, shares are accidents. */
const ENOUGH_SAMPLES = 10
/** Most functions that are named, each with at least this share of all bytes. */
const MOST = 3
const LEAST_SHARE = 0.1
/** A function that begins further above a line is not looked for. */
const HEAD_LINES = 100

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
 * @param {HeapProfile} profile @param {BlockRecord} record @param {Sources} sources @returns {AllocatorRecord[]}
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
    .map(({ frame, share }) => ({ frame: allocatingIn(frame, known, record, sources), share }))
}

/** @param {HeapNode} node @param {Frame[]} callers innermost first @returns {{ frames: Frame[], bytes: number }[]} */
function stacksOf ({ callFrame, selfSize, children }, callers) {
  const frames = callFrame.functionName === '(root)' ? [] : [frameOf({ callFrame }), ...callers]
  const below = children.flatMap((child) => stacksOf(child, frames))
  return selfSize > 0 ? [{ frames, bytes: selfSize }, ...below] : below
}

/**
 * Where a function allocates, or the blamed function if V8 inlined it: V8 counts the objects of both as the outer
 * one's.
 * @param {Frame} frame where it begins @param {Frame[]} known to V8's heap profile @param {BlockRecord} record
 * @param {Sources} sources @returns {FrameRecord}
 */
function allocatingIn (frame, known, record, { textOf }) {
  const { frame: blamed } = record
  const isInlined = blamed !== null && !known.some((each) => isSame(each, blamed)) &&
    placesIn(record, frame).some(({ callees }) => callees.some((each) => isSame(each, blamed)))
  const place = isInlined ? blamed : frame
  const text = place.file === null ? null : textOf(place.file)
  const head = isInlined ? headAbove(text ?? [], blamed) : frame
  const line = text === null || !head?.line ? null : allocatingLineOf(text, head.line, head.column ?? 1)
  if (text === null || line === null) return { ...(isInlined ? blamed : seenPlace(frame, record)), exact: false }
  return { ...place, line, column: text[line - 1].search(/\S|$/) + 1, exact: true }
}

/** The nearest line that looks like the function's beginning. @param {string[]} text @param {Frame} frame */
function headAbove (text, { function: name, line }) {
  const own = name?.slice(name.lastIndexOf('.') + 1)
  if (!own || line === null || !/^[\w$]+$/.test(own)) return null
  const head = new RegExp(`(?<![\\w$.])${own.replaceAll('$', '\\$')}\\s*(?:[=:].*)?\\(.*\\{\\s*$`)
  for (let at = line; at > Math.max(0, line - HEAD_LINES); at--) {
    const found = head.exec(text[at - 1] ?? '')
    if (found !== null) return { line: at, column: found.index + 1 }
  }
  return null
}

/** Where stacks saw a function, else where it begins. @param {Frame} frame @param {BlockRecord} record */
function seenPlace (frame, record) {
  // The place of the whole record is surer than that of one stack.
  if (record.frame !== null && isSame(record.frame, frame)) return record.frame
  const [heaviest] = placesIn(record, frame)
    .filter(({ own }) => (own.line ?? 0) > (frame.line ?? 0))
    .sort((a, b) => b.weightMs - a.weightMs)
  return heaviest === undefined ? frame : { ...frame, line: heaviest.own.line, column: heaviest.own.column }
}

/** Where stacks show a function, and what it called there. @param {BlockRecord} record @param {Frame} frame */
function placesIn ({ stacks, profile }, frame) {
  if (frame.function === null) return []
  return [...stacks, ...profile?.stacks ?? []].flatMap(({ frames, weightMs }) => {
    const at = frames.findIndex((each) => isSame(each, frame))
    return at === -1 ? [] : [{ own: frames[at], callees: frames.slice(0, at), weightMs }]
  })
}
