'use strict'

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { US_PER_MS } = require('../../util/units')

/** More than a viewer can show; beyond them the time goes to the callers. */
const NODES = 20000

/**
 * @typedef {object} Node
 * @property {number} id
 * @property {{ functionName: string, scriptId: string, url: string, lineNumber: number, columnNumber: number }} callFrame line and column from 0
 * @property {number} hitCount
 * @property {number[]} children
 * @property {{ line: number, ticks: number }[]} [positionTicks]
 */

/**
 * V8's .cpuprofile, as Chrome DevTools and VS Code open it: the blocks one after the other, without
 * the time between them. A function that blocked in two lines is two nodes, each at its line.
 * The table has its blocks newest first.
 * @param {import('./stack-table').StackTable} table
 */
exports.writeCpuProfile = ({ frames, timeline, startMs }) => {
  const callFrames = frames.map(callFrameOf)
  /** @type {Node[]} */
  const nodes = []
  /** @type {Map<number, number>[]} children of each node by frame */
  const children = []
  const add = (/** @type {Node['callFrame']} */ callFrame) => {
    nodes.push({ id: nodes.length + 1, callFrame, hitCount: 0, children: [] })
    children.push(new Map())
    return nodes.length - 1
  }
  const root = add(named('(root)'))
  const idle = add(named('(idle)'))
  nodes[root].children.push(nodes[idle].id)

  const startTime = Number.isFinite(startMs) ? Math.round(startMs * US_PER_MS) : 0
  const samples = []
  // A delta is the time since the sample before it: a sample's own length comes with the next one.
  const timeDeltas = [0]
  for (const { stack, weightMs, count } of timeline.toReversed()) {
    let at = root
    for (const frame of stack.frames) {
      let next = children[at].get(frame)
      if (next === undefined) {
        if (nodes.length === NODES) break
        next = add(callFrames[frame])
        children[at].set(frame, next)
        nodes[at].children.push(nodes[next].id)
      }
      at = next
    }
    nodes[at].hitCount += count
    samples.push(nodes[at].id)
    timeDeltas.push(Math.round(weightMs * US_PER_MS))
  }
  samples.push(nodes[idle].id)
  for (const node of nodes) {
    const { hitCount, callFrame: { lineNumber } } = node
    if (hitCount > 0 && lineNumber >= 0) node.positionTicks = [{ line: lineNumber + 1, ticks: hitCount }]
  }
  return JSON.stringify({ nodes, startTime, endTime: startTime + timeDeltas.reduce((sum, delta) => sum + delta, 0), samples, timeDeltas })
}

/** @param {import('../../types').Frame} frame @returns {Node['callFrame']} */
function callFrameOf ({ function: name, file, line, column }) {
  const url = file === null ? '' : path.isAbsolute(file) ? pathToFileURL(file).href : file
  return { functionName: name ?? '', scriptId: '0', url, lineNumber: (line ?? 0) - 1, columnNumber: (column ?? 0) - 1 }
}

/** @param {string} functionName @returns {Node['callFrame']} */
function named (functionName) {
  return { functionName, scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 }
}
