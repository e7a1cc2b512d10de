'use strict'

const path = require('node:path')

/** Our own code, wherever it is installed. */
const OWN = path.join(__dirname, '..') + path.sep

/** Less than this share of what is known to be somebody's is passing through, not the culprit. */
const SOME = 0.2

/** @typedef {import('../types').Frame} Frame */
/** @typedef {'own' | 'node' | 'package' | 'generated' | 'application'} Origin */

/** What Node.js calls code that was given to it on the command line or by stdin: the application's own. */
const GIVEN = /^\[(worker )?(eval|stdin)/

/**
 * Whose code a frame is. Built-ins of V8 have no file and count as Node's, as does WebAssembly, which no line leads to:
 * whoever called it is told. So it is with code that was generated while the application ran (`new Function`, `vm`, template
 * compilers): it has a made-up name in place of a file, and nobody can open that.
 * @param {Frame} frame
 * @returns {Origin}
 */
function originOf ({ file }) {
  if (file === null || file.startsWith('node:') || file.startsWith('wasm:')) return 'node'
  if (file.startsWith(OWN)) return 'own'
  if (file !== '' && (file.startsWith('eval at ') || !(path.win32.isAbsolute(file) || file.includes('://') || GIVEN.test(file)))) return 'generated'
  return /[\\/]node_modules[\\/]/.test(file) ? 'package' : 'application'
}

/** Whose code is blamed in this order, whoever else is in the stack. @type {Origin[]} */
const BLAMED = ['application', 'package', 'generated']

/**
 * The frame to blame in one stack: the innermost of the application, else of a package, else of generated code, else none.
 * @param {Frame[]} frames innermost first
 * @returns {Frame | null}
 */
function blamedFrame (frames) {
  for (const origin of BLAMED) {
    const frame = frames.find((each) => originOf(each) === origin)
    if (frame !== undefined) return frame
  }
  return null
}

/**
 * The generated code that a blamed function ran for most of the time, if any.
 * @param {{ frames: Frame[], weightMs: number }[]} stacks
 * @param {Frame | null} blamed
 * @returns {Frame | null} its innermost function
 */
function generatedIn (stacks, blamed) {
  const within = stacks.map(({ frames, weightMs }) => {
    const at = frames.findIndex((frame) => blamed !== null && frame.file === blamed.file && frame.function === blamed.function)
    return { weightMs, frame: frames.slice(0, Math.max(0, at)).find((frame) => originOf(frame) === 'generated') ?? null }
  })
  const inGenerated = within.filter(({ frame }) => frame !== null)
  return sum(inGenerated, 'weightMs') * 2 > sum(within, 'weightMs') ? inGenerated[0].frame : null
}

/**
 * The frame to blame in many stacks: of the functions that are blamed in one of them the one that
 * was blamed longest, and of its lines the one seen longest. Stacks that name the application beat
 * those that name only packages, if they are a fifth of both.
 * @param {import('./fold').Stack[]} stacks
 * @returns {(Frame & { exact: boolean }) | null}
 */
function blame (stacks) {
  const blamed = stacks.flatMap(({ frames, weightMs, lateMs }) => {
    const frame = blamedFrame(frames)
    return frame === null ? [] : [{ frame, weightMs, lateMs }]
  })
  const ofApplication = blamed.filter(({ frame }) => originOf(frame) === 'application')
  const candidates = ofApplication.length > 0 && sum(ofApplication, 'weightMs') >= SOME * sum(blamed, 'weightMs') ? ofApplication : blamed
  const inFunction = heaviest(candidates, ({ frame }) => `${frame.file}\n${frame.function}`)
  const onLine = heaviest(inFunction, ({ frame }) => `${frame.line}`)
  if (onLine.length === 0) return null
  return { ...onLine[0].frame, exact: onLine[0].frame.compiled !== true && sum(onLine, 'lateMs') * 2 < sum(onLine, 'weightMs') }
}

/** The frame the loop was in longest of all. @param {import('./fold').Stack[]} stacks @returns {Frame | null} */
function leaf (stacks) {
  const leaves = stacks.filter(({ frames }) => frames.length > 0)
  const [first] = heaviest(leaves, ({ frames }) => `${frames[0].file}\n${frames[0].function}`)
  return first ? first.frames[0] : null
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

exports.originOf = originOf
exports.blamedFrame = blamedFrame
exports.blame = blame
exports.generatedIn = generatedIn
exports.leaf = leaf
