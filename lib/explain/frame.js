'use strict'

const path = require('node:path')
const { nameTemplate } = require('./generated')

/** The folder of our own code, wherever it is installed. */
const OWN = path.join(__dirname, '..') + path.sep

/** Least share of the blamed time that the application must have to be blamed before packages. */
const SOME = 0.2

/**
 * @typedef {import('../types').Frame} Frame
 * @typedef {'own' | 'node' | 'package' | 'generated' | 'application'} Owner
 */

/** Node's own modules whose synchronous functions spend their time in native code. */
const WRAPPERS = /^node:(internal\/)?(zlib|crypto|fs|child_process|v8|buffer|dns|tls|_tls_common|worker\/js_transferable)\b/
/**
 * What Node.js's JavaScript does below these is for the native part: a process that is started has the loop of another
 * file, and zlib asks for each chunk that it inflates what kind of buffer it is.
 */
const FOR_NATIVE = /^node:(internal\/)?(child_process|zlib)$/

/** How Node.js names code that it got on the command line or by stdin: the application's own. */
const GIVEN = /^\[(worker )?(eval|stdin)/

/**
 * Whose code a frame is. Built-ins of V8 have no file and count as Node's. So does WebAssembly, which no line leads
 * to: its caller is named instead. Code that was generated while the application ran (`new Function`, `vm`, template
 * compilers) has a made-up name in place of a file, which nobody can open.
 * @param {Frame} frame
 * @returns {Owner}
 */
function ownerOf ({ file }) {
  if (file === null || file.startsWith('node:') || file.startsWith('wasm:')) return 'node'
  if (file.startsWith(OWN)) return 'own'
  if (isGenerated(file)) return 'generated'
  return /[\\/]node_modules[\\/]/.test(file) ? 'package' : 'application'
}

/** @param {string} file */
function isGenerated (file) {
  if (file === '') return false
  return file.startsWith('eval at ') || !(path.win32.isAbsolute(file) || file.includes('://') || GIVEN.test(file))
}

/** @typedef {(frame: Frame) => boolean} PassesOn whether a function only calls what it was given: see passing-on.js */
/** @type {PassesOn} */
const never = () => false

/**
 * The frame to blame in one stack: the innermost of the application, else of a package, else of generated code, else
 * none. Where the application only went on to what a package had given it (`next()`), that is the package's.
 * @param {Frame[]} frames innermost first
 * @param {PassesOn} [passesOn]
 * @returns {Frame | null}
 */
function blamedFrame (frames, passesOn = never) {
  const innermost = frames.findIndex((frame) => ownerOf(frame) === 'application')
  const known = innermost === -1 ? frames : frames.slice(0, innermost)
  const beyond = foreign(known)
  if (innermost === -1 || beyond === null) return frames[innermost] ?? beyond
  // Built-ins of V8 only call what they are given, too.
  for (const frame of frames.slice(innermost).filter(({ file }) => file !== null)) {
    if (ownerOf(frame) !== 'application') return beyond
    if (!passesOn(frame)) return frame
  }
  return frames[innermost]
}

/** Whether two frames are of one function. @param {Frame | null} a @param {Frame | null} b */
function isSame (a, b) {
  return a !== null && b !== null && a.file === b.file && a.function === b.function
}

/** The innermost frame of a package, else of generated code. @param {Frame[]} frames */
function foreign (frames) {
  const ofOwner = (/** @type {Owner} */ owner) => frames.find((each) => ownerOf(each) === owner)
  return ofOwner('package') ?? ofOwner('generated') ?? null
}

/**
 * The generated code that a blamed function ran for most of the time, if any.
 * @param {{ frames: Frame[], weightMs: number }[]} stacks
 * @param {Frame | null} blamed
 * @returns {Frame | null} its innermost function
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
 * The frame to blame in many stacks: the function that was blamed longest, at the line of it that was seen longest.
 * Stacks that name the application beat those that name only packages, if they have a fifth of the time of both. It is
 * exact where the function has most of all time, that of stacks which blame nobody included, and was seen in time.
 * @param {Pick<import('./fold').Stack, 'weightMs' | 'lateMs' | 'frames'>[]} stacks
 * @param {PassesOn} [passesOn]
 * @returns {(Frame & { exact: boolean }) | null}
 */
function blame (stacks, passesOn) {
  const blamed = stacks.flatMap(({ frames, weightMs, lateMs }) => {
    const frame = blamedFrame(frames, passesOn)
    return frame === null ? [] : [{ frame, weightMs, lateMs }]
  })
  const ofApplication = blamed.filter(({ frame }) => ownerOf(frame) === 'application')
  const isEnough = ofApplication.length > 0 && sum(ofApplication, 'weightMs') >= SOME * sum(blamed, 'weightMs')
  const inFunction = heaviest(isEnough ? ofApplication : blamed, ({ frame }) => `${frame.file}\n${frame.function}`)
  const onLine = heaviest(inFunction, ({ frame }) => `${frame.line}`)
  if (onLine.length === 0) return null
  const [{ frame }] = onLine
  const isTimely = sum(onLine, 'lateMs') * 2 < sum(onLine, 'weightMs')
  const isMost = sum(inFunction, 'weightMs') * 2 > sum(stacks, 'weightMs')
  return { ...frame, exact: frame.compiled !== true && isTimely && isMost }
}

/** The frame the loop was in longest of all. @param {import('./fold').Stack[]} stacks @returns {Frame | null} */
function leaf (stacks) {
  const leaves = stacks.filter(({ frames }) => frames.length > 0)
  const [first] = heaviest(leaves, ({ frames }) => `${frames[0].file}\n${frames[0].function}`)
  return first ? first.frames[0] : null
}

/**
 * Whether a frame is JSON.stringify. It looks for interrupts at each value, unlike other built-ins that take long, so
 * it answers in time (seen on Node 20, 22 and 24; on 26 the answer came when it had returned). Built-ins have neither
 * file nor line; code of new Function() has a line.
 * @param {Frame} frame
 */
const isStringify = ({ file, line, function: name }) => file === null && line === null && name === 'stringify'

/**
 * Whether a stack ends in Node's own wrapper around a native call, which answers interrupts between two short native
 * calls (zlib works through its input by chunks), or in a built-in that answers from within.
 * @param {Frame[]} frames innermost first
 */
function wrapsNative (frames) {
  if (frames.length > 0 && isStringify(frames[0])) return true
  const foreign = frames.findIndex((frame) => ownerOf(frame) !== 'node')
  const ofNode = frames.slice(0, foreign === -1 ? frames.length : foreign)
  const [innermost, ...callers] = ofNode.flatMap(({ file }) => file ?? [])
  return innermost !== undefined && (WRAPPERS.test(innermost) || callers.some((file) => FOR_NATIVE.test(file)))
}

/**
 * The group with the greatest summed weight.
 * @template {{ weightMs: number }} T
 * @param {T[]} items
 * @param {(item: T) => string} keyOf
 * @returns {T[]}
 */
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

exports.ownerOf = ownerOf
exports.blamedFrame = blamedFrame
exports.blame = blame
exports.isSame = isSame
exports.generatedIn = generatedIn
exports.leaf = leaf
exports.wrapsNative = wrapsNative
