'use strict'

const { AsyncLocalStorage } = require('node:async_hooks')
const { debuglog } = require('node:util')
const { isMainThread } = require('node:worker_threads')
const { environment } = require('../options/environment')
const { preloadDefaults, resolveOptions, strayVariables } = require('../options/table')
const { codedError, LoopwatchError } = require('../tables/errors')
const { isWatched, mainFile } = require('./launchers')
const { checkAllow } = require('./sense/allowed-calls')
const { NoopAgent } = require('./noop-agent')
const { mainGlobal, otherRuntime } = require('./runtime')
const { hiddenProperty, share, sharedBy } = require('../util/globals')
const { warnOnce } = require('./warn-once')

/**
 * @import { Options, ResolvedOptions } from '../options/table'
 * @import { Agent } from './agent'
 * @import { Presence } from './presence'
 */

/** @typedef {Agent | NoopAgent} AnyAgent */

const debug = debuglog('loopwatch')

/** The one agent of a process, whichever copy of the package starts it. The watchdog finds it via this symbol, too. */
const kAgent = Symbol.for('loopwatch.agent.1')

/** Marks an agent that runs only while somebody watches from outside. */
const kVisits = Symbol.for('loopwatch.visits.1')

/** This copy's agent if nothing can be shared (util/globals.js). @type {AnyAgent | undefined} */
let hidden

/** Runs a function outside of any request. Listeners of `block` would otherwise run in the first request for good. */
const outside = outsideOfRequests()

const other = otherRuntime()

/** All modules are loaded before the application changes its globals. start() reports an error of loading them. */
const loaded = load()

/** The agent that start() returns if nothing can be watched. @type {NoopAgent | undefined} */
let unwatched

/** Loaded by a run() without an agent. @type {typeof import('./work/validate-work').runUnwatched | undefined} */
let runUnwatched

const main = other === null ? mainGlobal() : globalThis
const registry = /** @type {Record<symbol, AnyAgent | undefined>} */ (/** @type {unknown} */ (main))

/**
 * Starts watching the event loop. A second call, from any copy of the package, returns the same agent. In a worker
 * thread of the application, or in a context of Jest, it watches nothing.
 * @param {Options} [options] @returns {AnyAgent} @throws {LoopwatchError} only if an option is wrong
 */
exports.start = (options) => begin(options, environment())

/** start() for loopwatch's own tools, also in a context of Vitest. @param {Options} options */
exports.startOwn = (options) => begin(options, environment(), { isOwn: true })

/**
 * start() for the preload, which logs to stderr unless the environment says otherwise. Throws if a variable is wrong.
 * @param {Presence} [presence] whether the process shows itself; without one it does at once
 */
exports.startPreloaded = (presence) => begin(undefined, environment(), { isPreload: true, presence })

/** @returns {<T>(fn: () => T) => T} */
function outsideOfRequests () {
  try {
    return AsyncLocalStorage.snapshot()
  } catch {
    return (fn) => fn()
  }
}

function load () {
  if (other !== null) return { make: null, error: codedError('LOOPWATCH_ERR_RUNTIME', other) }
  try {
    return { make: require('./agent').Agent, error: null }
  } catch (error) {
    return { make: null, error }
  }
}

/** @typedef {{ isPreload?: boolean, isOwn?: boolean, presence?: Presence }} Way in which the agent is started */

/**
 * Only a wrong option throws. If the application has replaced too many globals, it runs on unwatched.
 * @param {Options | undefined} options @param {NodeJS.ProcessEnv} env @param {Way} [way]
 */
function begin (options, env, way = {}) {
  try {
    return tryBegin(options, env, way)
  } catch (error) {
    if (error instanceof LoopwatchError) throw error
    return unwatchedBy(error, 'LOOPWATCH_WARN_START')
  }
}

/** @param {any} error why nothing is watched @param {string} [code] */
function unwatchedBy (error, code = error.code) {
  warnOnce(code, `loopwatch does not watch this process: ${error?.message}`)
  unwatched ??= new NoopAgent()
  return unwatched
}

/** @param {Options | undefined} options @param {NodeJS.ProcessEnv} env @param {Way} way */
function tryBegin (options, env, way) {
  const resolved = resolveOptions(options, env, way.isPreload ? preloadDefaults : {})
  if (other !== null && isMainThread) return unwatchedBy(loaded.error)
  const { only, skip } = resolved
  if (!isWatched(mainFile(), only, skip)) return (unwatched ??= new NoopAgent())
  const current = running()
  if (current && kVisits in current) {
    current.stop().catch(() => {})
  } else if (current) {
    if (!way.isPreload && 'show' in current) current.show()
    const keys = Object.keys(options ?? {})
    if (isMainThread && keys.length > 0) {
      warnOnce('LOOPWATCH_WARN_STARTED',
        `loopwatch is already running; the options of this start() are ignored: ${keys.join(', ')}`)
    }
    return current
  }
  // Jest drops the context of a test file, with the agent that it started, and goes on with the next file.
  if (main !== globalThis && !way.isOwn) return (unwatched ??= new NoopAgent())
  if (!isMainThread) debug('this worker thread is not watched')
  const stray = isMainThread ? strayVariables(env) : []
  if (stray.length > 0) warnOnce('LOOPWATCH_WARN_VARIABLE', `unknown loopwatch option: ${stray.join(', ')}`)
  const agent = isMainThread ? make(resolved, way) : new NoopAgent()
  if (!share(kAgent, agent, main)) hidden = agent
  return agent
}

/**
 * Starts an agent that stops as soon as the application starts its own. The environment is ignored: its variables are
 * for the application's agent, and may say that a stuck process is to end.
 * @param {Options} options
 */
exports.visit = (options) => {
  const current = running()
  const agent = begin(options, {}, { isOwn: true })
  // The application's own agent stays as it is.
  return agent === current ? agent : Object.defineProperty(agent, kVisits, hiddenProperty(true))
}

const running = () => registry[kAgent] ?? hidden

/** Throws LOOPWATCH_ERR_OPTION. @template T @param {() => T} fn @param {string} reason @returns {T} */
exports.allow = (fn, reason) => {
  const agent = running()
  if (agent !== undefined) return agent.allow(fn, reason)
  checkAllow(fn, reason)
  return fn()
}

/** Highest threshold of the agent that concurrent calls of expectNoBlocks() share. */
const VISITING_MS = 50
/** @type {{ agent: ReturnType<typeof exports.visit>, calls: number } | null} */
let visiting = null

/**
 * Without a running agent, one starts for the call. It reports blocks from `overMs` on and has no endpoint or log.
 * @template T @param {() => T} fn @param {{ overMs?: number }} [options] @returns {Promise<Awaited<T>>}
 */
exports.expectNoBlocks = async (fn, options = {}) => {
  const agent = running()
  if (agent !== undefined && agent !== visiting?.agent) return agent.expectNoBlocks(fn, options)
  const { overMs = VISITING_MS } = require('./expect-no-blocks').checkExpectation(fn, options)
  const threshold = Math.min(overMs, VISITING_MS)
  const visit = visiting ??= {
    agent: exports.visit({ port: false, log: false, requests: 'off', profile: 'off', threshold }),
    calls: 0
  }
  visit.calls++
  try {
    return await visit.agent.expectNoBlocks(fn, options)
  } finally {
    if (--visit.calls === 0) {
      visiting = null
      await visit.agent.stop()
    }
  }
}

/**
 * A plain call if there is no running agent, or one of an earlier version.
 * @template T @param {string} name not empty @param {() => T} fn @param {Record<string, string | number>} [attributes]
 * @returns {T} what fn returns; if that is a promise, one that settles the same
 * @throws {LoopwatchError} LOOPWATCH_ERR_ARGUMENT; and what fn throws
 */
exports.run = (name, fn, attributes) => {
  const agent = running()
  if (typeof agent?.run === 'function') return agent.run(name, fn, attributes)
  runUnwatched ??= require('./work/validate-work').runUnwatched
  return runUnwatched(name, fn, attributes)
}

/**
 * Calls use the agent of their time.
 * @template {(...args: any[]) => any} F @param {string} name @param {F} fn @returns {F}
 */
exports.wrap = (name, fn) => require('./work/validate-work').wrapWith(exports.run, name, fn)

/** @param {ResolvedOptions} options @param {Way} way */
function make (options, way) {
  const { make: Agent, error } = loaded
  if (Agent === null) throw error
  if (require('./runtime').hasFakeTimers()) {
    throw new Error('fake timers were installed before loopwatch; load loopwatch first')
  }
  return outside(() => new Agent(options, forget, way))
}

/** @param {Agent} agent */
function forget (agent) {
  if (registry[kAgent] === agent) Reflect.deleteProperty(sharedBy(main), kAgent)
  if (hidden === agent) hidden = undefined
}
