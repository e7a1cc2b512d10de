'use strict'

const { AsyncLocalStorage } = require('node:async_hooks')
const { debuglog } = require('node:util')
const { isMainThread } = require('node:worker_threads')
const { environment } = require('../options/environment')
const { preloadDefaults, resolveOptions, strayVariables } = require('../options/table')
const { LoopwatchError } = require('../tables/errors')
const { checkAllow } = require('./sense/allowed-calls')
const { NoopAgent } = require('./noop-agent')
const { hiddenProperty } = require('../util/define-hidden')
const { warnOnce } = require('./warn-once')

/**
 * @typedef {import('./agent').Agent} Agent
 * @typedef {Agent | NoopAgent} AnyAgent
 */

/** Shown by NODE_DEBUG=loopwatch. */
const debug = debuglog('loopwatch')

/** One agent a process, whichever copy of the package starts it; the watchdog finds the probe here. */
const kAgent = Symbol.for('loopwatch.agent.1')

/** Marks an agent that is there only while somebody watches from outside. */
const kVisits = Symbol.for('loopwatch.visits.1')

/**
 * This copy's, where an application lets nobody add to its globals; nothing else finds it then.
 * @type {AnyAgent | undefined}
 */
let hidden

/** A request that is the first to need the agent must not be the one that listeners of `block` run in, for ever. */
const outside = outsideOfRequests()

/** With everything at once, before an application changes its globals; should it have, start() says what failed. */
const loaded = load()

/** What start() gives where nothing can be watched. @type {NoopAgent | undefined} */
let unwatched

const registry = /** @type {Record<symbol, AnyAgent | undefined>} */ (/** @type {unknown} */ (globalThis))

/**
 * Starts watching this process's event loop. Idempotent: a second call, from whichever copy of the
 * package, gives the same agent. In a worker thread of the application it watches nothing.
 * @param {import('../options/table').Options} [options]
 * @returns {AnyAgent}
 * @throws {import('../tables/errors').LoopwatchError} where an option is wrong; after that nothing throws
 */
exports.start = (options) => begin(options, environment())

/**
 * The same where no code of the application says so: its log is on stderr, unless the environment says where.
 * @returns {AnyAgent}
 * @throws {import('../tables/errors').LoopwatchError} where a variable is wrong; after that nothing throws
 */
exports.startPreloaded = () => begin(undefined, environment(), preloadDefaults)

/** @returns {<T>(fn: () => T) => T} */
function outsideOfRequests () {
  try {
    return AsyncLocalStorage.snapshot()
  } catch {
    return (fn) => fn()
  }
}

function load () {
  try {
    return { make: require('./agent').Agent, error: null }
  } catch (error) {
    return { make: null, error }
  }
}

/**
 * Only a wrong option throws: an application whose globals leave nothing to watch with runs on without.
 * @param {import('../options/table').Options | undefined} options
 * @param {NodeJS.ProcessEnv} env
 * @param {import('../options/table').Options} [defaults]
 */
function begin (options, env, defaults) {
  try {
    return tryBegin(options, env, defaults)
  } catch (error) {
    if (error instanceof LoopwatchError) throw error
    warnOnce('LOOPWATCH_WARN_START', `loopwatch does not watch this process: ${error?.message}`)
    unwatched ??= new NoopAgent()
    return unwatched
  }
}

/**
 * @param {import('../options/table').Options | undefined} options
 * @param {NodeJS.ProcessEnv} env
 * @param {import('../options/table').Options} [defaults]
 */
function tryBegin (options, env, defaults) {
  const resolved = resolveOptions(options, env, defaults)
  const current = running()
  if (current && kVisits in current) {
    current.stop().catch(() => {})
  } else if (current) {
    const keys = Object.keys(options ?? {})
    if (isMainThread && keys.length > 0) warnOnce('LOOPWATCH_WARN_STARTED', `loopwatch is started already, the options of a second start() do not count: ${keys.join(', ')}`)
    return current
  }
  if (!isMainThread) debug('this worker thread is not watched')
  const stray = isMainThread ? strayVariables(env) : []
  if (stray.length > 0) warnOnce('LOOPWATCH_WARN_VARIABLE', `no option of loopwatch: ${stray.join(', ')}`)
  const agent = isMainThread ? make(resolved, defaults !== undefined) : new NoopAgent()
  const isFound = Reflect.defineProperty(globalThis, kAgent, hiddenProperty(agent))
  if (!isFound) hidden = agent
  return agent
}

/**
 * Starts an agent that gives way to the application's own, should that be started meanwhile, and whom nothing
 * concerns that its environment says to that: where records go, or that a stuck process is to end.
 * @param {import('../options/table').Options} options
 */
exports.visit = (options) => {
  const current = running()
  const agent = begin(options, {})
  // Where an application lets nobody add to its globals, its own may be hidden in here.
  return agent === current ? agent : Object.defineProperty(agent, kVisits, hiddenProperty(true))
}

/** The agent of this process or thread, if one is started. */
const running = () => registry[kAgent] ?? hidden

/**
 * What agent.allow() does, with whatever agent there is; without one it only runs the function.
 * @template T
 * @param {() => T} fn
 * @param {string} reason
 * @returns {T}
 * @throws {import('../tables/errors').LoopwatchError} LOOPWATCH_ERR_OPTION
 */
exports.allow = (fn, reason) => {
  const agent = running()
  if (agent !== undefined) return agent.allow(fn, reason)
  checkAllow(fn, reason)
  return fn()
}

/**
 * What agent.expectNoBlocks() does, with whatever agent there is; without one there is one meanwhile, for blocks from
 * `overMs` on, without an endpoint and a log.
 * @template T
 * @param {() => T} fn
 * @param {{ overMs?: number }} [options]
 * @returns {Promise<Awaited<T>>}
 */
exports.expectNoBlocks = async (fn, options = {}) => {
  const agent = running()
  if (agent !== undefined) return agent.expectNoBlocks(fn, options)
  const { overMs: threshold } = require('./expect-no-blocks').checkExpectation(fn, options)
  const visitor = exports.visit({ port: false, log: false, requests: 'off', profile: 'off', ...(threshold !== undefined && { threshold }) })
  try {
    return await visitor.expectNoBlocks(fn, options)
  } finally {
    await visitor.stop()
  }
}

/**
 * agent.run() of the agent that runs; a plain call where there is none, or one of an earlier version.
 * @template T
 * @param {string} name not empty
 * @param {() => T} fn
 * @param {Record<string, string | number>} [attributes]
 * @returns {T} what fn returns; of a promise one that settles the same
 * @throws {import('../tables/errors').LoopwatchError} LOOPWATCH_ERR_ARGUMENT; and what fn throws
 */
exports.run = (name, fn, attributes) => {
  const agent = registry[kAgent] ?? hidden
  if (typeof agent?.run === 'function') return agent.run(name, fn, attributes)
  return require('./work/validate-work').runUnwatched(name, fn, attributes)
}

/**
 * A function that runs another one as named work each time, of the agent that runs by then.
 * @template {(...args: any[]) => any} F
 * @param {string} name
 * @param {F} fn
 * @returns {F}
 * @throws {import('../tables/errors').LoopwatchError} LOOPWATCH_ERR_ARGUMENT
 */
exports.wrap = (name, fn) => require('./work/wrap').wrapWith(exports.run, name, fn)

/** @param {import('../options/table').ResolvedOptions} options @param {boolean} isPreload */
function make (options, isPreload) {
  const { make: Agent, error } = loaded
  if (Agent === null) throw error
  if (require('./runtime').hasFakeTimers()) throw new Error('fake timers were installed before it was loaded')
  return outside(() => new Agent(options, forget, isPreload))
}

/** @param {Agent} agent */
function forget (agent) {
  if (registry[kAgent] === agent) delete registry[kAgent]
  if (hidden === agent) hidden = undefined
}
