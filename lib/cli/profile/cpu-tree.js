'use strict'

const { fileURLToPath, pathToFileURL } = require('node:url')
const { LEAST_SHARE } = require('../../export/profiles/flame-tree')
const { US_PER_MS } = require('../../util/units')

/** Not counted: waiting is not work, and our code is not the application's. */
const IDLE = '(idle)'
const OWN = pathToFileURL(__dirname).href

/**
 * @typedef {{ id: number, callFrame: { functionName: string, url: string, lineNumber: number }, children?: number[] }}
 *   CpuNode as in .cpuprofile, lines from 0
 * @typedef {{ nodes: CpuNode[], startTime: number, endTime: number, samples?: number[], timeDeltas?: number[] }}
 *   CpuProfile
 * @typedef {{ name: string, file: string | null, value: number, children: FlameNode[] }} FlameNode value in ms,
 *   callees included
 * @typedef {{ name: string, place: string, selfMs: number }} Hot
 */

/** A flame graph, and the functions with the most time of their own. @param {CpuProfile} profile */
exports.cpuTree = ({ nodes, startTime, endTime, samples = [], timeDeltas = [] }) => {
  const selfMs = ownTimes(samples, timeDeltas)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  /** @type {Map<string, Hot>} */
  const hot = new Map()
  for (const { id, callFrame } of nodes) {
    const ms = selfMs.get(id) ?? 0
    if (ms === 0 || isForeign(callFrame) || callFrame.functionName === '(root)') continue
    const { name, file, line } = placeOf(callFrame)
    const place = file === null ? '' : `${file}:${line}`
    const row = hot.get(`${name}\n${place}`)
    if (row) row.selfMs += ms
    else hot.set(`${name}\n${place}`, { name, place, selfMs: ms })
  }
  const grow = (/** @type {CpuNode} */ node) => {
    const { name, file, line } = placeOf(node.callFrame)
    const children = merged((node.children ?? []).flatMap((id) => {
      const child = byId.get(id)
      return child === undefined || isForeign(child.callFrame) ? [] : [grow(child)]
    }))
    const value = (selfMs.get(node.id) ?? 0) + children.reduce((sum, child) => sum + child.value, 0)
    return {
      name: file === null ? name : `${name} ${file.split(/[\\/]/).slice(-2).join('/')}:${line}`,
      file,
      value,
      children
    }
  }
  const root = grow(nodes[0])
  return {
    tree: trimmed({ ...root, name: 'all' }, root.value * LEAST_SHARE),
    hot: [...hot.values()].sort((a, b) => b.selfMs - a.selfMs),
    durationMs: (endTime - startTime) / US_PER_MS
  }
}

/** Own ms of each node, by id. @param {number[]} samples @param {number[]} timeDeltas */
function ownTimes (samples, timeDeltas) {
  /** @type {Map<number, number>} */
  const selfMs = new Map()
  for (const [i, id] of samples.entries()) {
    // A delta is the time since the sample before it.
    selfMs.set(id, (selfMs.get(id) ?? 0) + Math.max(0, timeDeltas[i + 1] ?? 0) / US_PER_MS)
  }
  return selfMs
}

/** @param {CpuNode['callFrame']} frame */
function isForeign ({ functionName, url }) {
  return functionName === IDLE || url.startsWith(OWN) || url.startsWith(__dirname)
}

/** @param {CpuNode['callFrame']} frame */
function placeOf ({ functionName, url, lineNumber }) {
  const file = url === '' ? null : url.startsWith('file:') ? fileURLToPath(url) : url
  return { name: functionName || '(anonymous)', file, line: lineNumber + 1 }
}

/** V8 has one node for each optimization of a function. @param {FlameNode[]} nodes @returns {FlameNode[]} */
function merged (nodes) {
  /** @type {Map<string, FlameNode>} */
  const byName = new Map()
  for (const node of nodes) {
    const key = `${node.name}\n${node.file}`
    const twin = byName.get(key)
    if (twin === undefined) byName.set(key, node)
    else {
      byName.set(key, {
        ...twin,
        value: twin.value + node.value,
        children: merged([...twin.children, ...node.children])
      })
    }
  }
  return [...byName.values()]
}

/** @param {FlameNode} node @param {number} leastMs @returns {FlameNode} */
function trimmed (node, leastMs) {
  const kept = node.children.filter(({ value }) => value > 0 && value >= leastMs)
  return { ...node, value: Math.round(node.value * 10) / 10, children: kept.map((child) => trimmed(child, leastMs)) }
}

exports.ownTimes = ownTimes
