'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { ownTicks } = require('../../explain/source/own-lines')
const { toPath } = require('../../explain/source/source-map')
const { shortPath } = require('../../util/short-path')
const { readSource } = require('../../util/read-source')
const { causeRow } = require('../../tables/causes')
const { US_PER_MS } = require('../../util/units')
const { ownTimes } = require('../profile/cpu-tree')
const { functionsIn, readTicks } = require('./flame-ticks')

/** As for a record's line: fewer samples may have hit a line by chance. */
const ENOUGH_IN_LINE = 3
/** A culprit with less than this part of its share in the first run was not the second run's culprit. */
const AGREES = 1 / 3
const DISAGREE = 'The two runs disagree'

/** @typedef {import('./judge').Site} Site */
/**
 * @typedef {import('../../explain/profile/cpu-profile').CpuProfile} CpuProfile
 * @typedef {{ file: string, name: string, withCalleesMs: number, ownMs: number, ticks: Map<number, number> }} Profiled
 */

const places = (/** @type {number} */ line, /** @type {Site} */ { name, file }) => `${name} (${shortPath(file)}:${line})`

/**
 * Null if the tool names no functions.
 * @param {string} tool @param {string} folder of its report
 * @returns {((sites: Site[], durationMs: number) => ReturnType<typeof compareRuns>) | null}
 */
exports.readSecondRun = (tool, folder) => {
  if (tool === 'cpu') {
    const profile = JSON.parse(fs.readFileSync(path.join(folder, 'profile.cpuprofile'), 'utf8'))
    return (sites, durationMs) =>
      compareRuns(sites, durationMs, profile, (file) => readSource(file)?.split('\n') ?? null)
  }
  const ticks = tool === 'flame' || tool === '0x' ? readTicks(folder) : null
  return ticks === null ? null : (sites, durationMs) => compareTicks(sites, durationMs, tool, ticks)
}

/**
 * Samples have no lines: they confirm or contradict only the function.
 * @param {Site[]} sites heaviest first @param {number} durationMs of the first run @param {string} tool
 * @param {import('./flame-ticks').Ticked[]} ticks of the second @returns {ReturnType<typeof compareRuns>}
 */
function compareTicks (sites, durationMs, tool, ticks) {
  const [site] = sites
  if (site === undefined) return { sites, notes: [] }
  const functions = functionsIn(ticks)
  const found = functions.get(`${site.file}\n${site.name}`)
  const share = site.blockedMs / durationMs
  const again = (found?.all ?? 0) / ticks.length
  /** @type {string[]} */
  const notes = []
  if (found !== undefined && again >= share * AGREES) {
    notes.push(`The second run agrees: ${nameOf(found)} had ${percent(again)} of its samples.`)
  } else if (found !== undefined && !found.isInlined && causeRow(site.cause).isOnCpu) {
    const [most] = [...functions.values()].filter(({ file }) => !file.startsWith('node:')).sort((a, b) => b.own - a.own)
    const instead = most.own > found.all ? `, where ${nameOf(most)} had most, ${percent(most.own / ticks.length)}` : ''
    notes.push(`${DISAGREE}: ${nameOf(found)} blocked for ${percent(share)} of the first one and had ${percent(again)} of the samples of the second${instead}.`)
  }
  if (sites.some(({ line }) => line !== null)) {
    notes.push(`The samples of ${tool} have no line numbers: lines come from the first run, and ≈ marks unconfirmed ones.`)
  }
  return { sites, notes }
}

/** @param {{ name: string, file: string }} of */
const nameOf = ({ name, file }) => `${name} (${shortPath(file)})`

/**
 * The second run's lines replace those that it contradicts. The notes (a sentence each) say where the runs disagree.
 * @param {Site[]} sites heaviest first @param {number} durationMs of the first run @param {CpuProfile} profile
 * @param {(file: string) => string[] | null} linesOf a file as it runs @returns {{ sites: Site[], notes: string[] }}
 */
function compareRuns (sites, durationMs, profile, linesOf) {
  const functions = functionsOf(profile, linesOf)
  /** @type {string[]} */
  const notes = []
  const compared = sites.map((site, i) => {
    // Records describe a function without a name; profiles do not.
    const found = functions.get(`${site.file}\n${site.name}`) ?? functions.get(`${site.file}\n(anonymous)`)
    // The profile may have the name of the compiled file.
    const isKnown = found !== undefined || [...functions.values()].some(({ file }) => file === site.file)
    const share = site.blockedMs / durationMs
    const again = (found?.withCalleesMs ?? 0) * US_PER_MS / Math.max(1, profile.endTime - profile.startTime)
    const line = found === undefined ? null : mainLine(found)
    const isOtherLine = line !== null && line !== site.line
    if (i === 0 && isKnown && again < share * AGREES) {
      notes.push(`${DISAGREE}: ${places(site.line ?? 0, site)} blocked for ${percent(share)} of the first one and took ${percent(again)} of the second${instead(functions, found, profile)}.`)
    } else if (i === 0 && isKnown && !(isOtherLine && site.exact)) {
      notes.push(`The second run agrees: ${line === null ? site.place : places(line, site)} took ${percent(again)} of it.`)
    }
    if (!isOtherLine) return line === null ? site : exactly(site, line)
    notes.push(site.exact
      ? `${DISAGREE} about the line: by the first it is ${places(site.line ?? 0, site)}, by most samples of the second line ${line}.`
      : `The line was in doubt in the first run; by the CPU profile of the second it is ${places(line, site)}.`)
    return exactly(site, line)
  })
  return { sites: compared, notes }
}

/** @param {Map<string, Profiled>} functions @param {Profiled | undefined} but @param {CpuProfile} profile */
function instead (functions, but, { startTime, endTime }) {
  const [most] = [...functions.values()].filter((each) => each !== but && !each.file.startsWith('node:'))
    .sort((a, b) => b.ownMs - a.ownMs)
  return most === undefined || most.ownMs <= (but?.withCalleesMs ?? 0)
    ? ''
    : `, where ${most.name} (${shortPath(most.file)}) took most, ${percent(most.ownMs * US_PER_MS / (endTime - startTime))}`
}

/**
 * Gives the flame graph the reported lines. Its own lines are where V8 took stacks: for native calls, a later line. The
 * line with most of a function's time becomes the reported one.
 * @param {import('../../export/profiles/flame-tree').FlameNode} tree @param {Site[]} sites
 */
exports.withLines = (tree, sites) => {
  for (const site of sites.filter(({ exact, line }) => exact && line !== null)) {
    const start = `${site.name} ${shortPath(site.file)}:`
    /** @type {Map<string, { value: number, nodes: { name: string }[] }>} */
    const lines = new Map()
    const visit = (/** @type {import('../../export/profiles/flame-tree').FlameNode} */ node) => {
      if (node.file === site.file && node.name.startsWith(start)) {
        const { value, nodes } = lines.get(node.name) ?? { value: 0, nodes: [] }
        lines.set(node.name, { value: value + node.value, nodes: [...nodes, node] })
      }
      node.children.forEach(visit)
    }
    visit(tree)
    const [most] = [...lines.values()].sort((one, other) => other.value - one.value)
    for (const node of most?.nodes ?? []) node.name = `${start}${site.line}`
  }
}

/** @param {Site} site @param {number} line @returns {Site} */
const exactly = (site, line) => ({ ...site, line, exact: true, place: places(line, site) })

/** @param {number} share */
const percent = (share) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`

/** The line with most of a function's own samples; null if it mostly called others. @param {Profiled} of */
function mainLine ({ ownMs, withCalleesMs, ticks }) {
  const [most] = [...ticks].sort((a, b) => b[1] - a[1])
  const all = [...ticks.values()].reduce((total, count) => total + count, 0)
  return most === undefined || ownMs * 2 < withCalleesMs || most[1] < ENOUGH_IN_LINE || most[1] * 2 < all
    ? null
    : most[0]
}

/** @param {CpuProfile} profile @param {(file: string) => string[] | null} linesOf @returns {Map<string, Profiled>} */
function functionsOf ({ nodes, samples, timeDeltas }, linesOf) {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  /** @type {Map<string, Profiled>} */
  const functions = new Map()
  /** @type {Map<number, Profiled>} */
  const byId = new Map()
  for (const { id, callFrame: { functionName, url, lineNumber, columnNumber }, positionTicks = [] } of nodes) {
    const file = url === '' ? null : toPath(url)
    if (file === null) continue
    const name = functionName || '(anonymous)'
    const known = functions.get(`${file}\n${name}`) ?? { file, name, withCalleesMs: 0, ownMs: 0, ticks: new Map() }
    functions.set(`${file}\n${name}`, known)
    byId.set(id, known)
    if (positionTicks.length === 0) continue
    const begin = { line: lineNumber + 1, column: columnNumber + 1 }
    for (const { line, ticks } of ownTicks(positionTicks, begin, linesOf(file))) {
      known.ticks.set(line, (known.ticks.get(line) ?? 0) + ticks)
    }
  }
  for (const [id, ms] of ownTimes(samples, timeDeltas)) {
    const own = byId.get(id)
    if (own !== undefined) own.ownMs += ms
    /** @type {Set<Profiled>} a function may be in a stack several times */
    const met = new Set()
    for (let at = /** @type {number | undefined} */ (id); at !== undefined; at = parents.get(at)) {
      const each = byId.get(at)
      if (each !== undefined) met.add(each)
    }
    for (const each of met) each.withCalleesMs += ms
  }
  return functions
}

exports.DISAGREE = DISAGREE
exports.percent = percent
exports.compareRuns = compareRuns
exports.compareTicks = compareTicks
