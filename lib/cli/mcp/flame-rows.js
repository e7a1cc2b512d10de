'use strict'

const { ownerOf } = require('../../explain/frame')
const { duration } = require('../../export/log/sentence')
const { plain } = require('./text')

/** @typedef {import('../../export/profiles/flame-tree').FlameNode} FlameNode */

/** @param {FlameNode} node */
const isOwn = ({ file }) =>
  ['application', 'generated'].includes(ownerOf({ function: null, file, line: null, column: null }))

/** The application's functions below a node: what others took in between is theirs. @param {FlameNode} node @returns {FlameNode[]} */
const nearest = (node) => isOwn(node) ? [node] : node.children.flatMap(nearest)

/**
 * A level of the tree with the application's functions alone, each once.
 * @param {FlameNode[]} children
 * @returns {FlameNode[]}
 */
function ownOf (children) {
  /** @type {Map<string, FlameNode>} */
  const merged = new Map()
  for (const node of children.flatMap(nearest)) {
    const key = `${node.name}\n${node.file}`
    const known = merged.get(key)
    const whole = { ...node, value: node.value + (known?.value ?? 0), children: [...known?.children ?? [], ...node.children] }
    merged.set(key, whole)
  }
  return [...merged.values()].map((node) => ({ ...node, children: ownOf(node.children) }))
}

/**
 * The heaviest nodes of a flame graph as an indented list, from Node's edge to the innermost function.
 * @param {FlameNode} tree
 * @param {{ top: number, all?: boolean }} asked all = with frames of Node.js and of packages
 * @returns {{ rows: string[], left: number }} left = nodes that are not among them
 */
exports.flameRows = (tree, { top, all = false }) => {
  const roots = all ? tree.children : ownOf(tree.children)
  /** @type {Set<FlameNode>} */
  const chosen = new Set()
  // A caller is as heavy as its callees together: each has its caller before it.
  const waiting = [...roots]
  while (chosen.size < top && waiting.length > 0) {
    const heaviest = waiting.reduce((a, b) => b.value > a.value ? b : a)
    chosen.add(heaviest)
    waiting.splice(waiting.indexOf(heaviest), 1, ...heaviest.children)
  }
  const write = (/** @type {FlameNode[]} */ nodes, /** @type {number} */ depth) => {
    const shown = nodes.filter((node) => chosen.has(node)).sort((a, b) => b.value - a.value)
    return shown.flatMap((node) => /** @type {string[]} */ ([line(node, depth, tree.value), ...write(node.children, depth + 1)]))
  }
  return { rows: write(roots, 0), left: waiting.reduce((sum, node) => sum + sizeOf(node), 0) }
}

/** @param {FlameNode} node @param {number} depth @param {number} wholeMs */
const line = ({ name, value }, depth, wholeMs) =>
  `${'  '.repeat(Math.min(depth, 20))}${Math.round(100 * value / wholeMs)} % ${duration(value)} ${plain(name)}`

/** @param {FlameNode} node @returns {number} */
const sizeOf = ({ children }) => children.reduce((sum, child) => sum + sizeOf(child), 1)
