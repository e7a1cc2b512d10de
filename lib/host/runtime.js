'use strict'

const process = require('../util/process')

const { AsyncLocalStorage } = require('node:async_hooks')
const { setTimeout, clearTimeout } = require('node:timers')
const v8 = require('node:v8')
const { runInThisContext } = require('node:vm')
const { nodeFlags, variable } = require('../options/environment')
const { isTestRunner } = require('./launchers')

/** The first versions of the lines whose AsyncLocalStorage stands on async_hooks that have the fix. */
const FIXED = new Map([[20, 20], [22, 22]])
/** From here on AsyncLocalStorage does without async_hooks. */
const CONTEXT_FRAME_MAJOR = 24

/**
 * Whether following requests is safe on a version of Node.js. Before the fix of CVE-2025-59466 a
 * stack overflow that the application would catch ends a process that uses AsyncLocalStorage: exit
 * code 7, measured on 20.19.5, not on 20.20.2. The flaw cannot be felt without dying of it, so the
 * version has to tell.
 * @param {string} version as in process.versions.node
 */
exports.isContextSafe = (version) => {
  const [major, minor] = version.split('.').map(Number)
  return major >= CONTEXT_FRAME_MAJOR || minor >= (FIXED.get(major) ?? Infinity)
}

/**
 * Whether AsyncLocalStorage comes without async_hooks: at no cost. Felt by what only the costly one
 * has; a flag may turn either on, so the version does not tell.
 */
exports.hasContextFrame = () => !('_enable' in AsyncLocalStorage.prototype)

/**
 * Whether the inspector, which sees the globals of the main context, will find what is laid on these. Jest gives each
 * file of tests a context of its own, and some applications let nobody add to their globals.
 */
const isInMainContext = () => Object.isExtensible(globalThis) && runInThisContext('globalThis') === globalThis

/** The first versions in which the fix of CVE-2025-59466 holds for every user of async_hooks. */
const HOOK_FIXED = new Map([[20, 20], [22, 22], [24, 13], [25, 3]])
const HOOK_FIXED_MAJOR = 26

/**
 * Whether async_hooks.createHook() is safe on a version of Node.js: before the fix of CVE-2025-59466
 * any hook makes a stack overflow fatal that the application would catch. Unlike
 * AsyncLocalStorage, hooks suffer from it in 24 and 25 as well.
 * @param {string} version as in process.versions.node
 */
exports.isHookSafe = (version) => {
  const [major, minor] = version.split('.').map(Number)
  return major >= HOOK_FIXED_MAJOR || minor >= (HOOK_FIXED.get(major) ?? Infinity)
}

/**
 * Whether `v8.startCpuProfile()` samples as often as it is told and keeps as much. Node.js 24.12 to 24.21 have it
 * without options: they are ignored, and a sample every millisecond is what costs. So that is not tried where it takes
 * no parameter, and one that takes them refuses an interval below zero (26.10), which starts nothing.
 */
exports.ownsProfile = () => {
  const { startCpuProfile } = /** @type {{ startCpuProfile?: (options: object) => Record<symbol, () => void> }} */ (
    /** @type {unknown} */ (v8)
  )
  if (typeof startCpuProfile !== 'function' || startCpuProfile.length === 0) return false
  try {
    startCpuProfile({ sampleInterval: -1, maxBufferSize: 1 })[Symbol.dispose]()
    return false
  } catch (error) {
    return error?.code === 'ERR_OUT_OF_RANGE'
  }
}

const NETWORK_FLAG = /^--(?:no-)?experimental-network-inspection$/

/**
 * Whether inspector sessions can hear of the requests that the process makes (events of the domain Network). When
 * any session disconnects, Node.js ends these events for all others (20.20, 22.23, 24.21, 26.10). The last flag counts,
 * and nothing else tells: a session may enable the domain with or without it.
 * @param {string[]} execArgv
 * @param {string} [options] NODE_OPTIONS
 */
exports.hasNetworkInspection = (execArgv, options = variable('NODE_OPTIONS') ?? '') => {
  const flags = [...options.split(/[\s"]+/), ...execArgv].map((flag) => flag.replaceAll('_', '-'))
  return flags.findLast((flag) => NETWORK_FLAG.test(flag))?.startsWith('--no-') === false
}

/**
 * Whether timers are fake, as this package has got them when it was loaded: the heartbeat would never come, and all
 * the time be one block. Those of sinon, of Jest and of Vitest have their clock on each function; the legacy ones of
 * Jest give timers that cannot be armed again.
 */
exports.hasFakeTimers = () => {
  if ('clock' in setTimeout) return true
  const timer = setTimeout(() => {}, 1)
  clearTimeout(timer)
  return typeof timer?.refresh !== 'function'
}

/** Whether Node.js runs TypeScript by leaving out its types, every place where it was. */
exports.stripsTypes = () => /** @type {{ typescript?: unknown }} */ (process.features).typescript === 'strip'

/** Whether this process runs every file compiled in memory, whatever it is called: one of Vitest's does. */
exports.compilesAll = () => '__vitest_worker__' in globalThis

/** Flags by which Node.js has V8 profile or count what runs. */
const PROFILED = /(^| )--(cpu-prof|experimental-test-coverage)\b/

/**
 * Whether Node.js itself uses V8's profiler for this process: --cpu-prof, or coverage (NODE_V8_COVERAGE, by which c8
 * and `node --test` count it). It prints every event of another profile on stderr as a message that it does not
 * understand.
 * @param {string[]} execArgv
 * @param {NodeJS.ProcessEnv} env
 */
exports.isProfiledByNode = (execArgv, { NODE_V8_COVERAGE = '', NODE_OPTIONS = '' }) =>
  NODE_V8_COVERAGE !== '' || PROFILED.test(`${execArgv.join(' ')} ${NODE_OPTIONS}`.replaceAll('_', '-'))

/**
 * Whether the watchdog may connect to this thread's inspector. Against the permission model, or where there is no
 * inspector, a thread that does gets no error: the process aborts (measured on 20.20, 22.23, 24.21, 26.10), and only
 * the parent can tell. Nor may it where sessions that come and go would end what others are told of the network.
 */
exports.mayInspect = () => {
  const flags = nodeFlags()
  if (isTestRunner(flags) || exports.hasNetworkInspection(flags)) return false
  return isInMainContext() && isPermitted('inspector')
}

/** @param {string} scope of the permission model, if that is on */
function isPermitted (scope) {
  try {
    const { permission } = /** @type {{ permission?: { has: (scope: string) => boolean } }} */ (
      /** @type {unknown} */ (process))
    return permission === undefined || permission.has(scope)
  } catch {
    return false
  }
}
