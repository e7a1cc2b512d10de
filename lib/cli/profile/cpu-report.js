'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { fileURLToPath, pathToFileURL } = require('node:url')
const { LEAST_SHARE } = require('../../export/profiles/flame-tree')
const { shortPath } = require('../../util/place-text')
const { MS_PER_S, US_PER_MS } = require('../../util/units')
const { htmlReport, htmlTable } = require('./html-report')

const CPU_PROFILE = 'profile.cpuprofile'
/** Functions in the table of a report. */
const HOT = 25

/** Frames that do not count: waiting is not work, and our code is not the application's. */
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
  /** @type {Map<number, number>} own ms of a node, by its id */
  const selfMs = new Map()
  for (const [i, id] of samples.entries()) {
    // A delta is the time since the sample before it.
    selfMs.set(id, (selfMs.get(id) ?? 0) + Math.max(0, timeDeltas[i + 1] ?? 0) / US_PER_MS)
  }
  const byId = new Map(nodes.map((node) => [node.id, node]))
  /** @type {Map<string, Hot>} */
  const hot = new Map()
  for (const { id, callFrame } of nodes) {
    const ms = selfMs.get(id) ?? 0
    if (ms === 0 || isForeign(callFrame) || callFrame.functionName === '(root)') continue
    const { name, file, line } = placeOf(callFrame)
    const place = file === null ? '' : `${file}:${line}`
    const row = hot.get(`${name}\n${place}`) ?? { name, place, selfMs: 0 }
    row.selfMs += ms
    hot.set(`${name}\n${place}`, row)
  }
  const grow = (/** @type {CpuNode} */ node) => {
    const { name, file, line } = placeOf(node.callFrame)
    const children = merged((node.children ?? []).flatMap((id) => {
      const child = byId.get(id)
      return child === undefined || isForeign(child.callFrame) ? [] : [grow(child)]
    }))
    const value = (selfMs.get(node.id) ?? 0) + children.reduce((sum, child) => sum + child.value, 0)
    return { name: file === null ? name : `${name} ${shortPath(file)}:${line}`, file, value, children }
  }
  const root = grow(nodes[0])
  return {
    tree: trimmed({ ...root, name: 'all' }, root.value * LEAST_SHARE),
    hot: [...hot.values()].sort((a, b) => b.selfMs - a.selfMs),
    durationMs: (endTime - startTime) / US_PER_MS
  }
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
    byName.set(key, twin === undefined
      ? node
      : { ...twin, value: twin.value + node.value, children: merged([...twin.children, ...node.children]) })
  }
  return [...byName.values()]
}

/** @param {FlameNode} node @param {number} leastMs @returns {FlameNode} */
function trimmed (node, leastMs) {
  const kept = node.children.filter(({ value }) => value > 0 && value >= leastMs)
  return { ...node, value: Math.round(node.value * 10) / 10, children: kept.map((child) => trimmed(child, leastMs)) }
}

/** Writes profile.html next to the CPU profile, if there is one. @param {string} output @param {string} command */
exports.writeCpuReport = (output, command) => {
  const file = path.join(output, CPU_PROFILE)
  if (!fs.existsSync(file)) return
  const { tree, hot, durationMs } = exports.cpuTree(JSON.parse(fs.readFileSync(file, 'utf8')))
  const rows = hot.slice(0, HOT).map(({ name, place, selfMs }) => [
    { figure: `${selfMs.toFixed(0)} ms` }, { figure: `${(selfMs / Math.max(tree.value, 1) * 100).toFixed(1)}%` },
    name, place
  ])
  fs.writeFileSync(path.join(output, 'profile.html'), htmlReport({
    title: `CPU profile of ${command}`,
    summary: `${(durationMs / MS_PER_S).toFixed(1)} s, of which the main thread worked ` +
      `${(tree.value / MS_PER_S).toFixed(1)} s; node ${process.versions.node}; ${CPU_PROFILE} opens in Chrome ` +
      'DevTools and VS Code',
    flameTitle: 'Where the time went (lines are where functions begin)',
    tree,
    tail: '<section><h2>Functions by their own ' +
      `time</h2>${htmlTable(['own time', 'share', 'function', 'begins at'], rows)}</section>`
  }))
}

exports.CPU_PROFILE = CPU_PROFILE
