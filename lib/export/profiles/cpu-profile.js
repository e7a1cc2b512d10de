'use strict'

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { US_PER_MS } = require('../../util/units')
const { NODES } = require('./flame-tree')

/** @import { Frame } from '../../types' */
/** @import { StackTable } from './stack-table' */

/** The id of the idle node: the time after the last block. */
const IDLE = 2

/**
 * @typedef {{ functionName: string, scriptId: string, url: string, lineNumber: number, columnNumber: number }}
 * CallFrame lines and columns from 0
 * @typedef {{ id: number, callFrame: CallFrame, hitCount: number, children: number[],
 * positionTicks?: { line: number, ticks: number }[] }} Node
 */

/**
 * V8's .cpuprofile for Chrome DevTools and VS Code: blocks in a row, without the time between them. A function that
 * blocked in two lines is two nodes, each at its line. The table has the newest block first.
 * @param {StackTable} table
 */
exports.writeCpuProfile = ({ frames, timeline, startMs }) => {
  const tree = new CallTree(frames.map(callFrameOf))
  const startTime = Number.isFinite(startMs) ? Math.round(startMs * US_PER_MS) : 0
  const samples = []
  // A delta is the time since the last sample: a sample's own duration comes with the next one.
  const timeDeltas = [0]
  for (const { stack, weightMs, count } of timeline.toReversed()) {
    const node = tree.nodeOf(stack.frames)
    node.hitCount += count
    samples.push(node.id)
    timeDeltas.push(Math.round(weightMs * US_PER_MS))
  }
  samples.push(IDLE)
  const nodes = tree.nodes.map((node) => {
    const { hitCount, callFrame: { lineNumber } } = node
    if (hitCount === 0 || lineNumber < 0) return node
    return { ...node, positionTicks: [{ line: lineNumber + 1, ticks: hitCount }] }
  })
  const endTime = startTime + timeDeltas.reduce((sum, delta) => sum + delta, 0)
  return JSON.stringify({ nodes, startTime, endTime, samples, timeDeltas })
}

class CallTree {
  /** @type {Node[]} */
  nodes = []
  /** @type {Map<number, number>[]} children of each node by frame */
  #children = []
  #callFrames

  /** @param {CallFrame[]} callFrames */
  constructor (callFrames) {
    this.#callFrames = callFrames
    this.#add(named('(root)'))
    this.#add(named('(idle)'))
    this.nodes[0].children.push(IDLE)
  }

  /** @param {number[]} frames indexes, outermost first */
  nodeOf (frames) {
    let at = 0
    for (const frame of frames) {
      let next = this.#children[at].get(frame)
      if (next === undefined) {
        if (this.nodes.length === NODES) break
        next = this.#add(this.#callFrames[frame])
        this.#children[at].set(frame, next)
        this.nodes[at].children.push(this.nodes[next].id)
      }
      at = next
    }
    return this.nodes[at]
  }

  /** @param {CallFrame} callFrame */
  #add (callFrame) {
    this.nodes.push({ id: this.nodes.length + 1, callFrame, hitCount: 0, children: [] })
    this.#children.push(new Map())
    return this.nodes.length - 1
  }
}

/** @param {Frame} frame @returns {CallFrame} */
function callFrameOf ({ function: name, file, line, column }) {
  const url = file !== null && path.isAbsolute(file) ? pathToFileURL(file).href : file ?? ''
  return { functionName: name ?? '', scriptId: '0', url, lineNumber: (line ?? 0) - 1, columnNumber: (column ?? 0) - 1 }
}

/** @param {string} functionName @returns {CallFrame} */
function named (functionName) {
  return { functionName, scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 }
}
