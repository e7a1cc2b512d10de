'use strict'

const process = require('../util/process')

const { AsyncLocalStorage } = require('node:async_hooks')
const { setTimeout, clearTimeout } = require('node:timers')
const v8 = require('node:v8')
const { Worker } = require('node:worker_threads')
const { allFlags, nodeFlags } = require('../options/environment')
const { isTestRunner } = require('./launchers')
const { sharedBy } = require('../util/globals')

/** Milliseconds between samples, and the most samples: five minutes in one native call, which delays the end. */
const THREAD_PROFILE = { sampleInterval: 5, maxBufferSize: 60000 }

/** Null on Node.js. Bun and Deno claim its version as well. @param {Record<string, string | undefined>} [versions] */
exports.otherRuntime = ({ bun, deno } = process.versions) => {
  if (bun !== undefined) return `Bun ${bun}`
  return deno === undefined ? null : `Deno ${deno}`
}

/**
 * Whether a version of Node.js has the fix of CVE-2025-59466. Testing for the flaw would end the process.
 * @param {string} version as in process.versions.node
 * @param {Record<number, number>} minors the first fixed minor version of each line @param {number} fixedMajor
 */
function isFixed (version, minors, fixedMajor) {
  const [major, minor] = version.split('.').map(Number)
  return major >= fixedMajor || minor >= minors[major]
}

/**
 * Whether following requests is safe. Before the fix, a stack overflow that the application would catch ends a process
 * that uses AsyncLocalStorage: exit code 7 on 20.19.5, not on 20.20.2. From 24 on AsyncLocalStorage does without
 * async_hooks. @param {string} version as in process.versions.node
 */
exports.isContextSafe = (version) => isFixed(version, { 20: 20, 22: 22 }, 24)

/** Whether AsyncLocalStorage needs no async_hooks and costs nothing. A flag may select either, whatever the version. */
exports.hasContextFrame = () => !('_enable' in AsyncLocalStorage.prototype)

/**
 * The global object that all code of the process shares. Jest runs each test file in a context of its own, whose
 * `Function` is not that of Node.js. Elsewhere no script of node:vm is run: the first one switches V8's memory reducer
 * on (24.21), which stops an idle thread of a large application for 0.1 s and shrinks its heap.
 * @returns {typeof globalThis}
 */
exports.mainGlobal = () => setTimeout instanceof Function
  ? globalThis
  : require('node:vm').runInThisContext('globalThis')

/**
 * Whether async_hooks.createHook() is safe. Before the fix, any hook makes a stack overflow fatal that the application
 * would catch. Unlike AsyncLocalStorage, hooks have the flaw in 24 and 25 too.
 * @param {string} version as in process.versions.node
 */
exports.isHookSafe = (version) => isFixed(version, { 20: 20, 22: 22, 24: 13, 25: 3 }, 26)

/**
 * Whether `v8.startCpuProfile()` takes the interval and the buffer size as options. In Node.js 24.12 to 24.21 the
 * function has no parameter and samples every millisecond, which is too dear. Where it takes options, an interval below
 * zero is refused and nothing starts (26.10).
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

/** Undefined on Node.js 20, and where an application has replaced Worker. */
const startCpuProfile = /** @type {any} */ (Worker)?.prototype?.startCpuProfile

/**
 * Starts V8's CPU profile of a worker thread. Node.js 26 takes options. 24 and 22 sample every millisecond; 24 takes no
 * parameter, 22 a name and nothing else.
 * @param {Worker} worker @returns {Promise<{ stop: () => Promise<string> }>}
 */
exports.profileThread = (worker) => {
  try {
    return startCpuProfile.call(worker, THREAD_PROFILE)
  } catch (error) {
    if (error?.code !== 'ERR_INVALID_ARG_TYPE') throw error
    return startCpuProfile.call(worker, 'loopwatch')
  }
}

const NETWORK_FLAG = /^--(?:no-)?experimental-network-inspection$/

/**
 * Whether inspector sessions can receive the requests that the process makes (events of the domain Network). When any
 * session disconnects, Node.js ends these events for all others (20.20 to 26.10). The last such flag decides.
 * @param {string[]} execArgv @param {string} [options] NODE_OPTIONS
 */
exports.hasNetworkInspection = (execArgv, options) => {
  // An argument of the command line may contain spaces: the code of -e.
  const flags = [...allFlags([], options).split(' '), ...execArgv.map((flag) => flag.replaceAll('_', '-'))]
  return flags.findLast((flag) => NETWORK_FLAG.test(flag))?.startsWith('--no-') === false
}

/**
 * Whether the timers that this package got at load are fake: without heartbeats all time would be one block. Timers of
 * sinon, Jest and Vitest have `clock` on each function; the legacy timers of Jest have no refresh().
 */
exports.hasFakeTimers = () => {
  if ('clock' in setTimeout) return true
  const timer = setTimeout(() => {}, 1)
  clearTimeout(timer)
  return typeof timer?.refresh !== 'function'
}

/** Whether Node.js runs TypeScript by stripping its types, which keeps lines and columns. */
exports.stripsTypes = () => /** @type {{ typescript?: unknown }} */ (process.features).typescript === 'strip'

/** Whether this process compiles every file in memory, whatever its name, as Vitest does. */
exports.compilesAll = () => '__vitest_worker__' in globalThis

const PROFILED = /(^| )--(cpu-prof|experimental-test-coverage)([^a-z]|$)/

/**
 * Whether Node.js itself uses V8's profiler: --cpu-prof, or coverage (NODE_V8_COVERAGE, set by c8 and `node --test`).
 * Node.js then prints every event of another profile on stderr, as a message of unknown kind.
 * @param {string[]} execArgv @param {NodeJS.ProcessEnv} env
 */
exports.isProfiledByNode = (execArgv, { NODE_V8_COVERAGE = '', NODE_OPTIONS = '' }) =>
  NODE_V8_COVERAGE !== '' || PROFILED.test(allFlags(execArgv, NODE_OPTIONS))

/**
 * Why the watchdog may not connect to this thread's inspector, or null. If the permission model forbids it, or without
 * an inspector, the process aborts without an error (20.20 to 26.10). A session that ends would also end the network
 * events of other sessions.
 * @returns {string | null}
 */
exports.inspectorRefusal = () => {
  const flags = nodeFlags()
  if (isTestRunner(flags)) return 'this is a process of node --test'
  if (exports.hasNetworkInspection(flags)) return 'a session would end events of --experimental-network-inspection'
  try {
    // The permission model, if that is on.
    const { permission } = /** @type {{ permission?: { has: (scope: string) => boolean } }} */ (
      /** @type {unknown} */ (process))
    if (permission !== undefined && !permission.has('inspector')) {
      return 'the permission model forbids the inspector (--allow-inspector allows it, Node.js 24 and later)'
    }
    // The inspector sees the main context, and has to find our globals in it.
    if (!Object.isExtensible(sharedBy(globalThis))) return 'globalThis and its prototype are frozen or sealed'
    return exports.mainGlobal() === globalThis ? null : 'the globals are not those of the process (Jest)'
  } catch (error) {
    return `the check failed: ${error?.message}`
  }
}
