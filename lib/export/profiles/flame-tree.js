'use strict'

const { causeRow } = require('../../tables/causes')
const { shortPath } = require('../../util/place-text')
const { roundMs } = require('../../util/statistics')
const { keyOf, namedFrame, stacksOfBlock } = require('./block-stacks')

/** @import { BlockRecord, Frame } from '../../types' */

/** Nodes of a tree: more than a screen can show. The time of further ones goes to their callers. */
const NODES = 20000
/** Least share of a node: a smaller one is less than a pixel wide. */
const LEAST_SHARE = 1 / 2000

/**
 * @typedef {object} FlameNode
 * @property {string} name function and place, after ≈ if its line is not certain
 * @property {string | null} file
 * @property {number} value ms of blocked time, callees included
 * @property {FlameNode[]} children
 * @property {string | null} [cause] of time without a stack; null if code was not sampled
 * @typedef {{ node: FlameNode, children: Map<string, Growing>, isDoubtful?: boolean }} Growing
 */

class FlameTree {
  #root = growing('all', null)
  #nodes = 1

  /** @param {BlockRecord} record */
  add (record) {
    const { frame: blamed } = record
    for (const { weightMs, frames: sampled, cause } of stacksOfBlock(record)) {
      const name = cause ? causeRow(cause).phrase : 'not sampled'
      const frames = cause === undefined ? sampled : [namedFrame(name)]
      let at = this.#root
      at.node.value += weightMs
      for (let i = frames.length - 1; i >= 0; i--) {
        const frame = frames[i]
        const key = keyOf(frame)
        let next = at.children.get(key)
        if (next === undefined) {
          if (this.#nodes === NODES) break
          this.#nodes++
          next = growing(nameOf(frame), frame.file)
          if (cause !== undefined) next.node.cause = cause
          at.children.set(key, next)
        }
        at = next
        at.node.value += weightMs
        const isBlamed = frame.function === blamed?.function && frame.file === blamed.file
        // One block with a certain line makes the line certain.
        if (isBlamed && blamed.exact === false) at.isDoubtful ??= true
        else if (isBlamed && frame.line === blamed.line) at.isDoubtful = false
      }
    }
  }

  /** Leaves out nodes too small to be seen. @returns {FlameNode} */
  toJSON () {
    return grown(this.#root, this.#root.node.value * LEAST_SHARE)
  }
}

/** @param {Frame} frame */
function nameOf ({ function: name, file, line }) {
  return `${name ?? '(anonymous)'}${file === null ? '' : ` ${shortPath(file)}:${line}`}`
}

/** @param {string} name @param {string | null} file @returns {Growing} */
function growing (name, file) {
  return { node: { name, file, value: 0, children: [] }, children: new Map() }
}

/** @param {Growing} from @param {number} leastMs @returns {FlameNode} */
function grown ({ node, children, isDoubtful: isInDoubt }, leastMs) {
  const kept = [...children.values()].filter((child) => child.node.value > 0 && child.node.value >= leastMs)
  const name = `${isInDoubt ? '≈ ' : ''}${node.name}`
  return { ...node, name, value: roundMs(node.value), children: kept.map((child) => grown(child, leastMs)) }
}

exports.FlameTree = FlameTree
exports.LEAST_SHARE = LEAST_SHARE
exports.NODES = NODES
