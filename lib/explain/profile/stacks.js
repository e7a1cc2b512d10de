'use strict'

const { blame, isForeign, isSame, ownFrame } = require('../frame')
const { GC, treeOf } = require('./samples')
const { builtinIn } = require('../source/builtins')
const { endOf } = require('../source/function-text')
const { toPath } = require('../source/source-map')
const { ownerOf } = require('../../util/code-owner')
const { sumOf } = require('../../util/statistics')
const { US_PER_MS } = require('../../util/units')

/**
 * @import { Frame } from '../../types'
 * @import { Stack } from '../fold'
 * @import { PassesOn } from '../frame'
 * @import { LinePlace } from '../source/source-map'
 * @import { CpuProfile, ProfileNode } from './samples'
 */

/** The file shown for code of `new Function` and the like: a profile does not contain where it was made. */
const GENERATED = 'generated code'
/** Functions of Node.js that read a clock or a global, by file and name. */
const CLOCK =
  /^node:internal\/(?:util get(?: performance)?|perf\/performance now|process\/per_thread hrtime(?:BigInt)?)$/
/** Nodes of a profile that are not functions. */
const STATES = ['(root)', '(program)', '(idle)', GC]
/** Share of collections in a row from which on the function between them does not make the garbage. */
const MOST_IN_A_ROW = 2 / 3
/** Share of the samples that a function needs to have taken the time. */
const HARDLY = 0.2

/**
 * @typedef {object} Sources
 * @property {(frame: Frame) => Frame} original
 * @property {(file: string) => string[] | null} runningRows of a file as it runs, null if that is not on disk
 * @property {(file: string) => string[] | null} sourceRows of a source as a person wrote it, null if there is none
 * @property {(file: string, line: number) => LinePlace | null} placeOfLine where a line of
 * running code comes from, null if unknown
 * @property {boolean} [isBegunLate] the profile may lack frames: V8 does not know functions that it had optimized in a
 * loop by then, and counts their samples for the line that called them
 * @property {PassesOn} [passesOn] whether a call only calls a function that its caller was given
 * @typedef {{ line: number, ticks: number }[]} Ticks samples by line
 * @typedef {object} ProfiledStack
 * @property {number} count @property {number} weightMs @property {number} lateMs 0: a signal makes the samples
 * @property {Stack['works']} works none: a profile does not have any
 * @property {Frame[]} sampled innermost first, as V8 has them: the innermost with a file in the line where V8 counted
 * most samples, its callers where they begin; a collection has no callers
 * @property {Frame[]} frames the same, with the function that ran before a collection
 * @property {Frame[]} raw where functions begin, before source maps @property {Ticks} ticks its lines
 * @property {Ticks} foreign lines that cannot be its own: of functions that V8 inlined
 * @property {boolean} isBorrowed its lines may be from another time @property {boolean} isClock it was reading a clock
 * @property {boolean} [isUnlisted] its innermost functions are from answers: V8 does not list them
 * @property {number | null} gcRun for collections, the most samples in a row that found one
 */

/**
 * Folds equal stacks of a profile, heaviest first.
 * @param {CpuProfile} profile @param {Sources} sources
 * @param {Frame | null} answered the frame to blame by the answers to interrupts @returns {ProfiledStack[]}
 */
const profiledStacks = (profile, sources, answered) => fold(profile, sources).map((stack, _, all) => {
  const isOnTheWay = answered === null || stack.frames.some((frame) => isSame(answered, frame))
  return isOnTheWay || !isOneCollection(stack, all) ? stack : { ...stack, frames: [named(GC)], raw: [named(GC)] }
})

/** Whether one collection is most of it, by an unknown function. @param {ProfiledStack[]} stacks */
exports.isUnowned = (stacks) => stacks.some((stack) => stack.raw.length === 1 && isOneCollection(stack, stacks))

/**
 * Whether a block is a single collection, or several in a row: then the samples before and after it are of functions
 * that ran up to a period earlier or later. An interrupt is answered as soon as the collection ends.
 * @param {ProfiledStack} stack @param {ProfiledStack[]} all
 */
const isOneCollection = ({ gcRun }, all) => gcRun !== null && gcRun > MOST_IN_A_ROW * sum(all)

/** @param {ProfiledStack[]} stacks */
const sum = (stacks) => sumOf(stacks, 'count')

/** @param {CpuProfile} profile @param {Sources} sources */
function fold (profile, sources) {
  const { nodes, parents } = treeOf(profile)
  /** @type {Map<string, ProfiledStack>} */
  const stacks = new Map()
  const nameOf = (/** @type {number} */ id) => `${nodes.get(id)?.callFrame.functionName}`
  const chainOf = (/** @type {number} */ id) => {
    const chain = []
    for (let node = nodes.get(id); node !== undefined; node = parents.get(node.id)) chain.push(node)
    return chain.filter(({ callFrame }) => callFrame.functionName !== '(root)')
  }
  const isState = (/** @type {number} */ id) => STATES.includes(nameOf(id))
  // The work that a collection interrupts: its sample does not show it.
  const workAt = (/** @type {number} */ id) => {
    const chain = chainOf(id)
    // A clock makes no garbage: the code whose loop reads it does.
    return chain[outsideClock(chain.map(frameOf))].id
  }
  const first = profile.samples.find((id) => !isState(id))
  let running = first === undefined ? undefined : workAt(first)
  let inRow = 0
  const weights = weightsOf(profile)
  // Nodes of the agent, which interrupts the application to sample it and to take its profile.
  /** @type {Set<number | undefined>} */
  const ours = new Set([...nodes.keys()].filter((id) => ownFrame(chainOf(id).map(frameOf)) !== null))
  for (const [i, id] of profile.samples.entries()) {
    if (!isState(id)) running = workAt(id)
    const isGc = nameOf(id) === GC
    inRow = isGc ? inRow + 1 : 0
    if (ours.has(id)) continue
    // Other code made the garbage if the agent ran just before the collection.
    const below = !isGc ? id : ours.has(running) ? undefined : running
    const key = `${isGc} ${below}`
    const stack = stacks.get(key) ?? makeStack(below === undefined ? [] : chainOf(below), isGc, sources)
    stacks.set(key, stack)
    if (stack.gcRun !== null) stack.gcRun = Math.max(stack.gcRun, inRow)
    stack.count++
    stack.weightMs += weights[i] / US_PER_MS
  }
  return [...stacks.values()].sort((a, b) => b.weightMs - a.weightMs)
}

/**
 * The microseconds that each sample stands for: half of the way to its neighbours, or all of it to an end.
 * @param {CpuProfile} profile
 */
function weightsOf ({ startTime, endTime, timeDeltas }) {
  let atUs = startTime
  const times = timeDeltas.map((deltaUs) => { atUs += deltaUs; return atUs })
  const between = times.slice(1).map((each, i) => (times[i] + each) / 2)
  const bounds = [startTime, ...between, Math.max(endTime, atUs)]
  return times.map((_, i) => bounds[i + 1] - bounds[i])
}

/**
 * A stack without samples. A collection has the line where the function mostly was.
 * @param {ProfileNode[]} chain innermost first @param {boolean} isGc a collection interrupted it
 * @param {Sources} sources @returns {ProfiledStack}
 */
function makeStack (chain, isGc, { original, runningRows, placeOfLine }) {
  const raw = chain.map(frameOf)
  const frames = raw.map(original)
  // Samples of a C++ function that JavaScript calls directly have the line of the call (20.20, 22.23, 24.21).
  const at = raw.findIndex(({ file }) => file !== null)
  const head = raw[at] ?? null
  const file = `${head?.file}`
  const all = head === null || file === GENERATED ? [] : chain[0].positionTicks ?? []
  const source = head !== null && ownerOf(head) === 'application' ? runningRows(file) : null
  const own = head === null ? [] : ownTicks(all, head, source)
  const ticks = own.filter(({ line }) => placeOfLine(file, line) !== null)
  const foreign = all.filter(({ line }) => own.every((each) => each.line !== line))
  if (head !== null && ticks.length > 0) {
    const [{ line }] = ticks
    const row = source?.[line - 1] ?? ''
    const written = builtinIn(row)?.column ?? row.search(/\S|$/) + 1
    // Text before its parameters belongs to another function.
    const column = line === head.line ? Math.max(written, head.column ?? 1) : written
    frames[at] = { ...frames[at], column, ...placeOfLine(file, line) }
  }
  const collection = isGc ? [named(GC)] : []
  return {
    count: 0,
    weightMs: 0,
    lateMs: 0,
    works: [],
    gcRun: isGc ? 0 : null,
    sampled: isGc ? collection : frames.filter(isSampled),
    frames: [...collection, ...frames],
    raw: [...collection, ...raw],
    ticks,
    foreign,
    isBorrowed: chain[0]?.isBorrowed === true,
    isClock: outsideClock(raw) > 0
  }
}

/**
 * Lines that can be the function's own, most samples first. V8 counts inlined code for the outer function, in lines of
 * the other file: `performance.now()` in a loop of line 53 makes samples in lines 139 and 530 (20.20, 24.21).
 * @param {Ticks} ticks @param {Pick<Frame, 'line' | 'column'>} start of the function
 * @param {string[] | null} rows of its file, null if unknown
 */
function ownTicks (ticks, { line: first, column }, rows) {
  if (first === null) return []
  const last = rows === null || ticks.every(({ line }) => line === first) ? Infinity : endOf(rows, first, column ?? 1)
  return ticks.filter(({ line }) => line >= first && line <= last).sort((a, b) => b.ticks - a.ticks)
}

/**
 * Whether a frame was sampled. From the call that ends an answer to an interrupt on, V8 gives its name to the native
 * code that it had interrupted (24.21). The application makes this call through Node.js's own code.
 * @param {Frame} frame @param {number} i @param {Frame[]} frames innermost first
 */
const isSampled = ({ function: name, file }, i, frames) =>
  name !== 'encodeInto' || file !== null || frames[i + 1]?.file?.startsWith('node:') === true

/** The number of frames that read a clock. @param {Frame[]} frames innermost first */
function outsideClock (frames) {
  const caller = frames.findIndex(isForeign)
  const outermost = frames[caller - 1]
  return CLOCK.test(`${outermost?.file} ${outermost?.function}`) ? caller : 0
}

/** A number from 1. None is -1, which 22.23 writes unsigned in profiles of worker threads. @param {number} number */
const fromZero = (number) => number >= 0 && number < 2 ** 32 - 1 ? number + 1 : null

/** @param {Pick<ProfileNode, 'callFrame'>} node @returns {Frame} */
function frameOf ({ callFrame: { functionName, url, lineNumber, columnNumber } }) {
  const line = fromZero(lineNumber)
  // Built-ins have neither a file nor a line.
  const file = url !== '' ? toPath(url) : line === null ? null : GENERATED
  return { function: functionName || null, file, line, column: fromZero(columnNumber) }
}

/** @param {string} name @returns {Frame} */
function named (name) {
  return { function: name, file: null, line: null, column: null }
}

/**
 * The function with most samples, if that is a fifth.
 * @param {CpuProfile} profile @param {Sources} sources @returns {Frame | null}
 */
exports.heaviestIn = (profile, sources) => {
  const stacks = profiledStacks(profile, sources, null)
  const frame = blame(stacks, sources.passesOn)
  const own = stacks.filter(({ frames }) => frames.some((each) => isSame(each, frame)))
  return sum(own) >= HARDLY * sum(stacks) ? frame : null
}

exports.frameOf = frameOf
exports.ownTicks = ownTicks
exports.profiledStacks = profiledStacks
exports.sum = sum
