'use strict'

const { ownerOf } = require('../../util/code-owner')
const { duration } = require('../../util/sentence')
const { plain } = require('./text')

/**
 * @import { FlameNode } from '../../export/profiles/flame-tree'
 * @import { Frame } from '../../types'
 */

/** The node, or the next functions of the application below it. @param {FlameNode} node @returns {FlameNode[]} */
function nearest (node) {
  const owner = ownerOf(/** @type {Frame} */ ({ file: node.file }))
  return owner === 'application' || owner === 'generated' ? [node] : node.children.flatMap(nearest)
}

/** The application's functions below some nodes, each once, heaviest first. @param {FlameNode[]} nodes */
function ownOf (nodes) {
  /** @type {Map<string, FlameNode>} */
  const merged = new Map()
  for (const node of nodes.flatMap(nearest)) {
    const { value, children } = merged.get(node.name) ?? { value: 0, children: [] }
    merged.set(node.name, { ...node, value: value + node.value, children: [...children, ...node.children] })
  }
  return [...merged.values()].sort((a, b) => b.value - a.value)
}

/**
 * The application's heaviest functions, at most `top`, indented below their callers. Time in other code counts for its
 * caller. `left`: how many came next. @param {FlameNode} tree @param {number} top
 */
exports.flameRows = (tree, top) => {
  /** @typedef {{ node: FlameNode, order: string, depth: number }} Place `order` is that of its row, as text */
  const placesIn = (/** @type {FlameNode[]} */ nodes, /** @type {string} */ above, /** @type {number} */ depth) =>
    ownOf(nodes).map((node, i) => ({ node, depth, order: `${above}${`${i}`.padStart(6, '0')}` }))
  const waiting = placesIn(tree.children, '', 0)
  const chosen = []
  while (chosen.length < top && waiting.length > 0) {
    // A caller is at least as heavy as its callees together, so it comes before them.
    waiting.sort((a, b) => b.node.value - a.node.value)
    const [next] = waiting.splice(0, 1)
    chosen.push(next)
    waiting.push(...placesIn(next.node.children, next.order, next.depth + 1))
  }
  const rows = chosen.sort((a, b) => a.order < b.order ? -1 : 1).map(({ node: { name, value }, depth }) =>
    `${'  '.repeat(depth)}${Math.round(100 * value / tree.value)}% ${duration(value)} ${plain(name)}`)
  return { rows, left: waiting.length }
}
