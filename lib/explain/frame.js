'use strict'

const { originOf, ownerOf, packageNameOf } = require('../util/code-owner')
const { shortPath } = require('../util/short-path')

/**
 * @import { Frame, FrameRecord } from '../types'
 * @import { Stack } from './fold'
 */

/** The name that an engine gives its code; EJS puts it in quotes. */
const TEMPLATE_FILE = /^"?([^"]+\.(?:ejs|eta|hbs|handlebars|pug|jade|njk|nunjucks|mustache|liquid|dot|jst|html?))"?$/i

/** If the application has less than this share of the blamed time, packages are blamed instead. */
const SOME = 0.2

/** Node's own modules whose synchronous functions spend their time in native code. */
const WRAPPERS =
  /^node:(internal\/)?(zlib|crypto|fs|child_process|v8|vm|buffer|encoding|dns|tls|_tls_common|worker\/js_transferable)\b/
/**
 * Node.js's JavaScript below these counts as native: starting a process creates the loop of another file, and zlib
 * checks the kind of buffer for each chunk that it inflates.
 */
const FOR_NATIVE = /^node:(internal\/)?(child_process|zlib)$/

/** @typedef {(frame: Frame) => boolean} PassesOn whether a function only calls what its caller passed: passing-on.js */
/** @type {PassesOn} */
const never = () => false

/**
 * The frame to blame in one stack: the innermost of the application, else of a package, else of generated code. If the
 * application only called what a package had passed to it (`next()`), the package is blamed.
 * @param {Frame[]} frames innermost first @param {PassesOn} [passesOn] @returns {Frame | null}
 */
function blamedFrame (frames, passesOn = never) {
  const innermost = frames.findIndex((frame) => ownerOf(frame) === 'application')
  const known = innermost === -1 ? frames : frames.slice(0, innermost)
  const beyond = foreign(known)
  if (innermost === -1 || beyond === null) return frames[innermost] ?? beyond
  // Built-ins of V8 also only call what they are given.
  for (const frame of frames.slice(innermost).filter(({ file }) => file !== null)) {
    if (ownerOf(frame) !== 'application') return beyond
    if (!passesOn(frame)) return frame
  }
  return frames[innermost]
}

/** Built-ins alone are anybody's. @param {{ frames: Frame[] }} stack */
const isOfNode = ({ frames }) =>
  frames.every((frame) => ownerOf(frame) === 'node') && frames.some(({ file }) => file?.startsWith('node:'))

/** Whether two frames are of one function. @param {Frame | null} a @param {Frame | null} b */
function isSame (a, b) {
  return a !== null && b !== null && a.file === b.file && a.function === b.function
}

/** The innermost frame of a package, else of generated code. @param {Frame[]} frames */
function foreign (frames) {
  return frames.find((frame) => ownerOf(frame) === 'package') ??
    frames.find((frame) => ownerOf(frame) === 'generated') ?? null
}

/**
 * The innermost generated function that a blamed function ran for most of the time, if any.
 * @param {{ frames: Frame[], weightMs: number }[]} stacks @param {Frame | null} blamed
 */
function generatedIn (stacks, blamed) {
  const isBlamed = (/** @type {Frame} */ { file, function: name }) => file === blamed?.file && name === blamed?.function
  const within = stacks.map(({ frames, weightMs }) => {
    const callees = frames.slice(0, Math.max(0, frames.findIndex(isBlamed)))
    return { weightMs, frame: callees.find((frame) => ownerOf(frame) === 'generated') ?? null }
  })
  const inGenerated = within.filter(({ frame }) => frame !== null)
  const [first] = inGenerated
  return sum(inGenerated, 'weightMs') * 2 > sum(within, 'weightMs') && first.frame ? nameTemplate(first.frame) : null
}

/**
 * The function that was blamed longest, at the line that was seen longest. Stacks that name the application beat those
 * that name only packages if they have a fifth of the time of both. Null if all of them have less than a fifth beside
 * Node.js's own code. Exact if the function has most of all time (stacks without a frame to blame included) and its
 * samples were timely.
 * @param {Pick<Stack, 'weightMs' | 'lateMs' | 'frames'>[]} stacks @param {PassesOn} [passesOn]
 * @param {number} [allMs] of the block, if the stacks are not all
 */
function blame (stacks, passesOn, allMs = sum(stacks, 'weightMs')) {
  const blamed = stacks.flatMap(({ frames, weightMs, lateMs }) => {
    const frame = blamedFrame(frames, passesOn)
    return frame === null ? [] : [{ frame, weightMs, lateMs }]
  })
  const ofApplication = blamed.filter(({ frame }) => ownerOf(frame) === 'application')
  const isEnough = ofApplication.length > 0 && sum(ofApplication, 'weightMs') >= SOME * sum(blamed, 'weightMs')
  const inFunction = heaviest(isEnough ? ofApplication : blamed, ({ frame }) => `${frame.file}\n${frame.function}`)
  const onLine = heaviest(inFunction, ({ frame }) => `${frame.line}`)
  const blamedMs = sum(blamed, 'weightMs')
  if (onLine.length === 0 || blamedMs < SOME * (blamedMs + sum(stacks.filter(isOfNode), 'weightMs'))) return null
  const [{ frame }] = onLine
  const isTimely = sum(onLine, 'lateMs') * 2 < sum(onLine, 'weightMs')
  const isMost = sum(inFunction, 'weightMs') * 2 > allMs
  return { ...frame, exact: frame.compiled !== true && isTimely && isMost }
}

/**
 * The line of the application that awaits what blocked, if only packages or Node.js are on the stack. V8 knows it while
 * the await of an async function is carried out; a callback of a timer or socket has no such caller.
 * @param {Pick<Stack, 'weightMs' | 'frames' | 'awaiting'>[]} stacks
 * @returns {FrameRecord | null} exact if it awaited for most of the block
 */
function awaitingFrame (stacks) {
  const isOfApplication = (/** @type {Frame} */ each) => ownerOf(each) === 'application'
  const known = stacks.flatMap(({ frames, awaiting = [], weightMs }) => {
    const frame = frames.some(isOfApplication) ? undefined : awaiting.find(isOfApplication)
    return frame === undefined ? [] : [{ frame, weightMs }]
  })
  const atLine = heaviest(known, ({ frame: { file, line } }) => `${file}\n${line}`)
  if (atLine.length === 0) return null
  const { async: _, ...frame } = atLine[0].frame
  return { ...frame, exact: sum(atLine, 'weightMs') * 2 > sum(stacks, 'weightMs') }
}

/** The innermost frame that was seen longest. @param {Stack[]} stacks */
function leaf (stacks) {
  const leaves = stacks.filter(({ frames }) => frames.length > 0)
  const [first] = heaviest(leaves, ({ frames }) => `${frames[0].file}\n${frames[0].function}`)
  return first ? first.frames[0] : null
}

/**
 * Unlike other built-ins that take long, it checks for interrupts at each value, so it answers in time (seen on Node
 * 20, 22 and 24; on 26 the answer came when it had returned). Built-ins have neither file nor line; code of new
 * Function() has a line.
 * @param {Frame} frame
 */
const isStringify = ({ file, line, function: name }) => file === null && line === null && name === 'stringify'

/**
 * Node's own wrapper around a native call answers interrupts between two short native calls (zlib handles its input in
 * chunks). Some built-ins answer while they run.
 * @param {Frame[]} frames innermost first
 */
function wrapsNative (frames) {
  if (frames.length > 0 && isStringify(frames[0])) return true
  const foreign = frames.findIndex((frame) => ownerOf(frame) !== 'node')
  const ofNode = frames.slice(0, foreign === -1 ? frames.length : foreign)
  const [innermost, ...callers] = ofNode.flatMap(({ file }) => file ?? [])
  return innermost !== undefined && (WRAPPERS.test(innermost) || callers.some((file) => FOR_NATIVE.test(file)))
}

/** @template {{ weightMs: number }} T @param {T[]} items @param {(item: T) => string} keyOf */
function heaviest (items, keyOf) {
  /** @type {Map<string, T[]>} */
  const groups = new Map()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  let best = /** @type {T[]} */ ([])
  for (const group of groups.values()) {
    if (best.length === 0 || sum(group, 'weightMs') > sum(best, 'weightMs')) best = group
  }
  return best
}

/** @param {Record<string, any>[]} items @param {string} key @returns {number} */
function sum (items, key) {
  return items.reduce((total, item) => total + item[key], 0)
}

/**
 * The frame of loopwatch in which a stack was, calls into Node.js included; null if other code ran. It says where
 * loopwatch was, not for how long: that is what the host measures. A function of the application that loopwatch calls,
 * as in agent.run(), belongs to the application.
 * @param {Frame[]} frames innermost first
 */
function ownFrame (frames) {
  const first = frames.find((frame) => ownerOf(frame) !== 'node')
  return first !== undefined && ownerOf(first) === 'own' ? first : null
}

/**
 * Names generated code after its template's file if that is known, else after the package or line that made it. The
 * lines of the code are those of no file. @param {Frame} frame @returns {Frame}
 */
const nameTemplate = (frame) => {
  const file = frame.file ?? ''
  const template = TEMPLATE_FILE.exec(file)?.[1]
  if (template !== undefined) {
    const short = template.split(/[\\/]/).slice(-2).join('/')
    return { ...frame, function: `template ${short}`, file: template, line: null, column: null }
  }
  const origin = originOf(file)
  if (origin === file) return frame
  const name = frame.function === 'eval' ? 'code' : frame.function ?? 'code'
  const maker = packageNameOf(file)
  const by = maker === null ? `at ${shortPath(origin).replace(/:\d+\)+$/, '')}` : `by ${maker}`
  return { ...frame, function: `${name} generated ${by}`, line: null, column: null }
}

exports.awaitingFrame = awaitingFrame
exports.blamedFrame = blamedFrame
exports.blame = blame
exports.isSame = isSame
exports.generatedIn = generatedIn
exports.heaviest = heaviest
exports.leaf = leaf
exports.ownFrame = ownFrame
exports.wrapsNative = wrapsNative
