'use strict'

const { REG_EXP } = require('../source/line-text')
const { addTo } = require('../../util/statistics')
const { US_PER_MS } = require('../../util/units')

/** Difference of V8's clock and ours if both start at the same zero, as on Linux. Elsewhere it is far larger. */
const SAME_CLOCK_MS = 1000
/** Share of a function's samples in one line that makes any sample of it one of that line. */
const ONE_LINE_SHARE = 0.8
const ROUNDING = 1e-6
/** The node of collections. */
const GC = '(garbage collector)'

/**
 * @typedef {object} ProfileNode
 * @property {number} id
 * @property {{ functionName: string, scriptId: string, url: string, lineNumber: number, columnNumber: number }}
 * callFrame where the function begins, from 0
 * @property {number} [hitCount] samples that found it innermost @property {number[]} [children]
 * @property {{ line: number, ticks: number }[]} [positionTicks] in which lines, from 1
 * @property {true} [isBorrowed] these may be from another time
 * @typedef {ProfileNode & { hitCount: number, children: number[] }} Copy
 * @typedef {object} CpuProfile as V8's inspector gives it; times are microseconds
 * @property {ProfileNode[]} nodes the first is the root @property {number} startTime @property {number} endTime
 * @property {number[]} samples ids of nodes
 * @property {number[]} timeDeltas since the sample before, the first one since startTime
 * @typedef {ReturnType<typeof treeOf>} Tree
 * @typedef {{ startMs: number, endMs: number, profile: CpuProfile }} Window a profile, with its monotonic start and end
 */

/** V8 of Node.js 22 and 24 writes the source of a regular expression as it is, which may not be JSON. */
const PATTERN = /"functionName":"RegExp: .*?","lineNumber":/g

/** A profile as `stop()` returns it; null if it cannot be read. @param {string} text @returns {CpuProfile | null} */
exports.parseProfile = (text) => {
  for (const each of [text, text.replace(PATTERN, '"functionName":"RegExp: ","lineNumber":')]) {
    try {
      return JSON.parse(each)
    } catch {
      // The next one, if any, has no patterns.
    }
  }
  return null
}

/**
 * The profile of a time, as far as windows cover it; null without a sample. Regular expressions lose their patterns.
 * @param {Window[]} windows oldest first @param {number} startMs @param {number} endMs @returns {CpuProfile | null}
 */
exports.cutProfiles = (windows, startMs, endMs) => {
  const callFrame = { functionName: '(root)', scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 }
  /** @type {Copy[]} */
  const nodes = [{ id: 1, callFrame, hitCount: 0, children: [] }]
  /** @type {number[]} */
  const samples = []
  /** @type {number[]} */
  const timeDeltas = []
  const fromMs = Math.max(startMs, windows[0]?.startMs ?? startMs)
  let lastMs = fromMs
  for (const window of windows) {
    const tree = treeOf(window.profile)
    const copies = new Map([[window.profile.nodes[0].id, nodes[0]]])
    const isTick = clockOf(window.profile, tree)
    for (const { id, atMs } of samplesOf(window)) {
      if (atMs < lastMs || atMs > endMs || !isTick(id)) continue
      const copy = copyTo(nodes, copies, tree, id)
      copy.hitCount++
      samples.push(copy.id)
      timeDeltas.push(Math.round((atMs - lastMs) * US_PER_MS))
      lastMs = atMs
    }
    for (const [id, copy] of copies) addLines(copy, nodeOf(tree, id))
  }
  if (samples.length === 0) return null
  return {
    nodes,
    startTime: Math.round(fromMs * US_PER_MS),
    endTime: Math.round(endMs * US_PER_MS),
    samples,
    timeDeltas
  }
}

/** @param {Window} window */
function samplesOf ({ startMs, profile: { startTime, samples, timeDeltas } }) {
  const isSameClock = Math.abs(startMs - startTime / US_PER_MS) < SAME_CLOCK_MS
  let micros = isSameClock ? startTime : startMs * US_PER_MS
  return samples.map((id, i) => {
    micros += timeDeltas[i]
    return { id, atMs: micros / US_PER_MS }
  })
}

/** The share of collections in the samples. @param {CpuProfile | null} profile */
exports.gcShareOf = (profile) => {
  if (profile === null) return 0
  const { nodes, samples } = profile
  const ofGc = new Set(nodes.flatMap(({ id, callFrame }) => callFrame.functionName === GC ? id : []))
  return samples.filter((id) => ofGc.has(id)).length / samples.length
}

/**
 * Whether the clock took a sample. V8 adds others where it gives up optimized code (26.10: 230 in a block). They look
 * the same, so as many as V8 counts are spread evenly.
 * @param {CpuProfile} profile @param {Tree} tree @returns {(id: number) => boolean}
 */
function clockOf ({ samples }, tree) {
  /** @type {Map<number, number>} */
  const counts = new Map()
  for (const id of samples) addTo(counts, id, 1)
  /** Fractions of ticks that are still to come. @type {Map<number, number>} */
  const fractions = new Map()
  return (id) => {
    addTo(fractions, id, Math.min(1, (nodeOf(tree, id).hitCount ?? 0) / Number(counts.get(id))))
    const isTick = Number(fractions.get(id)) > 1 - ROUNDING
    if (isTick) addTo(fractions, id, -1)
    return isTick
  }
}

/**
 * The copy of a node among others, below copies of its parents.
 * @param {Copy[]} nodes @param {Map<number, Copy>} copies by ids of nodes @param {Tree} tree @param {number} id
 * @returns {Copy}
 */
function copyTo (nodes, copies, tree, id) {
  const copy = copies.get(id)
  if (copy !== undefined) return copy
  const parent = copyTo(nodes, copies, tree, Number(tree.parents.get(id)?.id))
  const callFrame = withoutPattern(nodeOf(tree, id).callFrame)
  const made = { id: nodes.length + 1, callFrame, hitCount: 0, children: [] }
  nodes.push(made)
  parent.children.push(made.id)
  copies.set(id, made)
  return made
}

/**
 * Adds lines, which V8 counts for a whole profile. They are valid if the copy has most of the function's samples, or if
 * a line has most of these wherever the samples outside were. If one has nearly all, the samples were there.
 * @param {Copy} copy @param {ProfileNode} node
 */
function addLines (copy, { hitCount = 0, positionTicks: places = [] }) {
  const positionTicks = byLine(places)
  const most = Math.max(0, ...positionTicks.map(({ ticks }) => ticks))
  const outside = hitCount - copy.hitCount
  const isOwn = copy.hitCount > outside || (most - outside) * 2 > copy.hitCount
  if (positionTicks.length === 0 || !(isOwn || most >= ONE_LINE_SHARE * hitCount)) return
  copy.positionTicks = positionTicks
  if (!isOwn) copy.isBorrowed = true
}

/** @param {Tree} tree @param {number} id */
const nodeOf = ({ nodes }, id) => /** @type {ProfileNode} */ (nodes.get(id))

/** Nodes and parents by the ids of the nodes. @param {CpuProfile} profile */
function treeOf ({ nodes }) {
  /** @type {Map<number, ProfileNode>} */
  const parents = new Map()
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node)
  return { nodes: new Map(nodes.map((node) => [node.id, node])), parents }
}

/**
 * A pattern that came with a request is a secret. A literal can be read at its line.
 * @param {ProfileNode['callFrame']} callFrame
 */
const withoutPattern = (callFrame) =>
  callFrame.functionName.startsWith('RegExp: ') ? { ...callFrame, functionName: REG_EXP } : callFrame

/**
 * Samples by line. V8 counts a line twice if code was inlined (26.10).
 * @param {{ line: number, ticks: number }[]} places
 */
function byLine (places) {
  /** @type {Map<number, number>} */
  const lines = new Map()
  for (const { line, ticks } of places) addTo(lines, line, ticks)
  return [...lines].map(([line, ticks]) => ({ line, ticks }))
}

exports.GC = GC
exports.treeOf = treeOf
