'use strict'

const { ownerOf, packageNameOf } = require('../../util/code-owner')
const { shownStacks } = require('../../util/shown-stacks')

/** @import { BlockRecord, Frame } from '../../types' */

/** Packages that run, load, transform, compile or count other code: a block in one is not the application's. */
const TOOLS = [
  'mocha', 'vitest', 'vite', 'vite-node', 'ava', 'tap', 'jasmine', 'tape', 'uvu', 'expect', 'pretty-format',
  'esbuild', 'rollup', 'typescript', 'ts-node', 'ts-jest', 'tsx', 'sucrase', 'pirates', 'babel-jest',
  'babel-plugin-istanbul', 'c8', 'nyc', 'v8-to-istanbul', 'source-map', 'source-map-support', 'workerpool',
  'tinypool', 'jest', 'jest-.*', 'istanbul-.*',
  '@(?:jest|vitest|babel|swc|tapjs|esbuild|rollup|ampproject|jridgewell)/.*'
]
const TOOL = new RegExp(`^(?:${TOOLS.join('|')})$`)

/** The tools that call tests. */
const RUNNER = /^(mocha|vitest|@vitest\/.*|tinypool|ava|@tapjs\/.*|jest-circus|jest-runner)$/

/** Node.js, Jest and Vite load modules here. Such a frame calls a module's top level, or leads to it. */
const LOADERS = new RegExp([
  /^node:internal\/(?:bootstrap|modules|process\/(?:esm_loader|execution))/,
  /[\\/]node_modules[\\/](?:jest-runtime|@jest[\\/]transform|vite-node|pirates|ts-node|tsx)/,
  /[\\/]node_modules[\\/]vite[\\/]dist[\\/]node[\\/]module-runner/
].map(({ source }) => source).join('|'))

/** Node.js, V8 and loopwatch are nobody's code: they count for their caller. @param {Frame} frame */
const isSomebodys = (frame) => !['node', 'own'].includes(ownerOf(frame))

/**
 * A runner such as tap or node:test may call a test while it loads the test's file: the runner's callers do not count.
 * @param {Frame[]} frames innermost first
 */
function isLoading (frames) {
  const tool = frames.findIndex(({ file }) => file !== null &&
    (file.startsWith('node:internal/test_runner/') || TOOL.test(packageNameOf(file) ?? '')))
  const below = tool === -1 ? frames : frames.slice(0, tool + 1)
  return below.some(({ file }) => file !== null && LOADERS.test(file))
}

/** Whether the innermost code is not a tool's, and no modules are loading. @param {Frame[]} frames innermost first */
function isOwn (frames) {
  if (isLoading(frames)) return false
  const innermost = frames.find(isSomebodys)?.file
  if (!innermost) return false
  const name = packageNameOf(innermost)
  if (name === null) return true
  if (TOOL.test(name)) return false
  // A package that only a tool calls, such as a plugin of Babel, belongs to the tool.
  const above = frames.filter(isSomebodys).map(({ file }) => packageNameOf(/** @type {string} */ (file)))
  return above.includes(null) || !above.some((other) => other !== null && TOOL.test(other))
}

/**
 * Whether a frame only leads to a test, or follows it: our own, or its runner's.
 * @param {Frame | null} frame null if nothing is known
 */
exports.isBesideTest = (frame) => frame === null || ownerOf(frame) === 'own' ||
  RUNNER.test(packageNameOf(frame.file ?? '') ?? '')

/**
 * Whether a stack has no code of a test or of a tool, as when a native call has just returned to the runner. Its weight
 * is the time since the stack before. @param {Frame[]} frames innermost first
 */
function isNobodys (frames) {
  const top = frames.find((frame) => ownerOf(frame) !== 'node') ?? null
  if (top === null) return !isLoading(frames)
  return exports.isBesideTest(top) && !frames.some((frame) => ownerOf(frame) === 'application')
}

/**
 * Share of sampled time in the application or its packages, 0 to 1.
 * @param {BlockRecord} record @param {boolean} isInTest a named test ran: what is nobody's is its own
 */
exports.ownShare = (record, isInTest) => {
  const shown = shownStacks(record)
  // A profile has no callers of collections and of what V8 does by itself.
  const isCalled = (/** @type {{ frames: Frame[] }} */ { frames }) => frames.some(({ file }) => file !== null)
  const stacks = shown.isProfiled ? shown.stacks.filter(isCalled) : shown.stacks
  const allMs = stacks.reduce((sum, { weightMs }) => sum + weightMs, 0)
  if (allMs === 0) return record.frame === null && !isInTest ? 0 : 1
  const own = stacks.filter(({ frames }) => isOwn(frames) || (isInTest && isNobodys(frames)))
  return own.reduce((sum, { weightMs }) => sum + weightMs, 0) / allMs
}

/** Whether the whole block is a tool's. @param {BlockRecord} record */
exports.isFromTool = ({ frame, package: owner }) => (owner != null && TOOL.test(owner.name)) ||
  (frame?.file != null && TOOL.test(packageNameOf(frame.file) ?? ''))

/** @param {Frame} frame */
exports.isNodes = ({ file }) => file !== null && /^node:/.test(file)

/**
 * The innermost frame of the application that made a call, else the package's. Null if the application did not make it.
 * @param {Frame[]} frames innermost first
 * @param {string} script the process's main one: in a tool's process, only calls below the application's code count
 * @param {boolean} all calls of runners, loaders and transformers, and those that load modules, count too
 */
exports.callerOf = (frames, script, all) => {
  const owned = /** @type {(Frame & { file: string })[]} */ (frames.filter(isSomebodys))
  const [innermost] = owned
  if (innermost === undefined || (!all && !isOwn(frames))) return null
  const own = owned.find(({ file }) => packageNameOf(file) === null)
  if (own === undefined && !all && packageNameOf(script) !== null) return null
  return { frame: own ?? innermost, package: packageNameOf(innermost.file) }
}
