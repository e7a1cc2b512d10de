'use strict'

const { originOf, ownerOf, packageNameOf } = require('../util/code-owner')
const { shortPath } = require('../util/place-text')
const { addTo, keyOfLargest, sumOf } = require('../util/statistics')

/**
 * @import { Frame, FrameRecord } from '../types'
 * @import { Stack } from './fold'
 */

/** A template's file as an engine names its code; EJS puts it in quotes. */
const TEMPLATE_FILE = /^"?([^"]+\.(?:ejs|eta|hbs|handlebars|pug|jade|njk|nunjucks|mustache|liquid|dot|jst|html?))"?$/i

/** Share of the blamed time that the application needs, or packages are blamed instead. */
const SOME = 0.2

/** Node's own modules whose synchronous functions spend their time in native code. */
const WRAPPERS =
  /^node:(?:internal\/)?(?:zlib|crypto|fs|child_process|v8|vm|buffer|encoding|dns|_?tls\w*|worker\/js_transferable)\b/
/**
 * Node.js's JavaScript below these counts as native: starting a process creates the loop of another file, and zlib
 * checks the kind of buffer for each chunk that it inflates.
 */
const FOR_NATIVE = /^node:(internal\/)?(child_process|zlib)$/

/** @typedef {(frame: Frame) => boolean} PassesOn whether a function only calls what its caller passed: passing-on.js */

/** @param {ReturnType<typeof ownerOf>} owner @returns {(frame: Frame) => boolean} */
const isOf = (owner) => (frame) => ownerOf(frame) === owner

/** Whether a frame is neither of Node.js nor of V8. @param {Frame} frame */
const isForeign = (frame) => ownerOf(frame) !== 'node'

/**
 * The frame to blame in one stack: the innermost of the application, else of a package, else of generated code. If the
 * application only called what a package had passed to it (`next()`), the package is blamed.
 * @param {Frame[]} frames innermost first @param {PassesOn} [passesOn] @returns {Frame | null}
 */
function blamedFrame (frames, passesOn = () => false) {
  const innermost = frames.findIndex(isOf('application'))
  const callees = innermost === -1 ? frames : frames.slice(0, innermost)
  const beyond = callees.find(isOf('package')) ?? callees.find(isOf('generated')) ?? null
  if (innermost === -1 || beyond === null) return frames[innermost] ?? beyond
  // Built-ins of V8 also only call what they are given.
  const caller = frames.slice(innermost)
    .find((frame) => frame.file !== null && !(ownerOf(frame) === 'application' && passesOn(frame))) ?? frames[innermost]
  return ownerOf(caller) === 'application' ? caller : beyond
}

/** Whether Node.js ran without others. Built-ins alone are anybody's. @param {{ frames: Frame[] }} stack */
const isOfNode = ({ frames }) => frames.every(isOf('node')) && frames.some(({ file }) => file?.startsWith('node:'))

/** @param {Frame | null} a @param {Frame | null} b */
function isSame (a, b) {
  return a !== null && b !== null && a.file === b.file && a.function === b.function
}

/**
 * The innermost generated function that a blamed function ran for most of the time, if any.
 * @param {{ frames: Frame[], weightMs: number }[]} stacks @param {Frame | null} blamed
 */
exports.generatedIn = (stacks, blamed) => {
  const inGenerated = withFrame(stacks, ({ frames }) =>
    frames.slice(0, Math.max(0, frames.findIndex((frame) => isSame(frame, blamed)))).find(isOf('generated')))
  return weightOf(inGenerated) * 2 > weightOf(stacks) ? nameTemplate(inGenerated[0].frame) : null
}

/**
 * The function that was blamed longest, at its longest line. The application is blamed before packages if it has a
 * fifth of the time of both. Null if both have less than a fifth next to Node.js's own code. Exact if the function has
 * most of all time (stacks without a frame to blame included) and its samples were timely.
 * @param {Pick<Stack, 'weightMs' | 'lateMs' | 'frames'>[]} stacks @param {PassesOn} [passesOn]
 * @param {number} [allMs] of the block, if the stacks are not all
 */
exports.blame = (stacks, passesOn, allMs = weightOf(stacks)) => {
  const blamed = withFrame(stacks, ({ frames }) => blamedFrame(frames, passesOn))
  const blamedMs = weightOf(blamed)
  const ofApplication = blamed.filter(({ frame }) => ownerOf(frame) === 'application')
  const isEnough = ofApplication.length > 0 && weightOf(ofApplication) >= SOME * blamedMs
  const inFunction = heaviest(isEnough ? ofApplication : blamed, keyOfFunction)
  const onLine = heaviest(inFunction, ({ frame }) => `${frame.line}`)
  if (onLine.length === 0 || blamedMs < SOME * (blamedMs + weightOf(stacks.filter(isOfNode)))) return null
  const [{ frame }] = onLine
  const isTimely = sumOf(onLine, 'lateMs') * 2 < weightOf(onLine)
  const isMost = weightOf(inFunction) * 2 > allMs
  return { ...frame, exact: frame.compiled !== true && isTimely && isMost }
}

/**
 * The line of the application that awaits what blocked, if only packages or Node.js are on the stack. V8 knows it while
 * the await of an async function is carried out; a callback of a timer or socket has no such caller.
 * @param {Pick<Stack, 'weightMs' | 'frames' | 'awaiting'>[]} stacks
 * @returns {FrameRecord | null} exact if it awaited for most of the block
 */
exports.awaitingFrame = (stacks) => {
  const awaiters = withFrame(stacks, ({ frames, awaiting }) =>
    frames.some(isOf('application')) ? null : awaiting?.find(isOf('application')))
  const atLine = heaviest(awaiters, ({ frame: { file, line } }) => `${file}\n${line}`)
  if (atLine.length === 0) return null
  const { async: _, ...frame } = atLine[0].frame
  return { ...frame, exact: weightOf(atLine) * 2 > weightOf(stacks) }
}

/** The heaviest innermost frame. @param {Stack[]} stacks */
exports.leaf = (stacks) =>
  heaviest(withFrame(stacks, ({ frames }) => frames[0]), keyOfFunction)[0]?.frame ?? null

/**
 * Whether Node's own code around native calls answered, between two short ones (zlib handles its input in chunks).
 * JSON.stringify checks for interrupts at each value, so it answers in time (20, 22, 24; on 26 when it has returned).
 * Built-ins have neither file nor line; code of new Function() has a line. @param {Frame[]} frames innermost first
 */
exports.wrapsNative = (frames) => {
  const [callee] = frames
  if (callee?.file === null && callee.line === null && callee.function === 'stringify') return true
  const foreign = frames.findIndex(isForeign)
  const ofNode = foreign === -1 ? frames : frames.slice(0, foreign)
  const [innermost, ...callers] = ofNode.flatMap(({ file }) => file ?? [])
  return innermost !== undefined && (WRAPPERS.test(innermost) || callers.some((file) => FOR_NATIVE.test(file)))
}

/**
 * Stacks with a frame of each, if any.
 * @template T @param {T[]} stacks @param {(stack: T) => Frame | null | undefined} frameOf
 */
const withFrame = (stacks, frameOf) => stacks.flatMap((stack) => {
  const frame = frameOf(stack)
  return frame ? [{ ...stack, frame }] : []
})

/** @param {{ frame: Frame }} item */
const keyOfFunction = ({ frame }) => `${frame.file}\n${frame.function}`

/** @template {{ weightMs: number }} T @param {T[]} items @param {(item: T) => string} keyOf */
function heaviest (items, keyOf) {
  /** @type {Map<string, number>} */
  const weights = new Map()
  for (const item of items) addTo(weights, keyOf(item), item.weightMs)
  const heaviestKey = keyOfLargest(weights)
  return items.filter((item) => keyOf(item) === heaviestKey)
}

/** @param {{ weightMs: number }[]} items */
const weightOf = (items) => sumOf(items, 'weightMs')

/**
 * The frame of loopwatch that ran or called Node.js; null if other code ran. A function of the application that
 * loopwatch calls, as in agent.run(), belongs to the application. @param {Frame[]} frames innermost first
 */
exports.ownFrame = (frames) => {
  const innermost = frames.find(isForeign)
  return innermost !== undefined && ownerOf(innermost) === 'own' ? innermost : null
}

/**
 * The frame of generated code, named after its template's file, else after the package or line that made it. Its lines
 * are those of no file. @param {Frame} frame @returns {Frame}
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

exports.blamedFrame = blamedFrame
exports.isSame = isSame
exports.heaviest = heaviest
exports.isForeign = isForeign
exports.isOf = isOf
exports.weightOf = weightOf
