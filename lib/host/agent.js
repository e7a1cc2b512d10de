'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const { EventEmitter } = require('node:events')
const process = require('../util/process')
const messages = require('../bridge/messages')
const { LoopwatchError } = require('../tables/errors')
const { besideApplication, unblockStream } = require('./nonblocking-stdout')
const { startSenses, stopAll } = require('./host-sensors')
const { checkAllow } = require('./sense/allowed-calls')
const { loadInspector } = require('./sense/profile/profiler')
const { warnOnce } = require('./warn-once')
const { WatchdogThread } = require('./watchdog-thread')

/**
 * @import { ResolvedOptions } from '../options/table'
 * @import { BlockRecord, LoopLoadReport, SlowIncident } from '../types'
 * @import { Watch } from './expect-no-blocks'
 * @import { HuntResult } from './origin/hunt'
 * @import { ShedOptions } from './shedding/options'
 * @import { Way } from './start'
 * @import { Handlers } from './watchdog-thread'
 */

/** Bound at load: an application may replace them. */
const { wait } = Atomics
const abort = process.abort?.bind(process)
const blocks = diagnosticsChannel.channel('loopwatch:block')
const slow = diagnosticsChannel.channel('loopwatch:slow')
/** Longest wait of a process that exits in a block for the log line and the record. It mostly takes 20 ms. */
const EXIT_MS = 250

// Rarely used modules are loaded by their first call. Each takes a third of a millisecond, and under NODE_OPTIONS every
// command of a shell would pay for it.

/**
 * The agent of one process: the sensors on the host thread, and the watchdog that they report to.
 * Event `block`: the record of a finished block (lib/types.js), also on the diagnostics channel `loopwatch:block`. The
 * event needs the host's loop, so it comes after the log line, the endpoint and `dir`.
 * Event `slow`: an incident without a block, at its end; also on `loopwatch:slow`.
 * @extends {EventEmitter<{ block: [BlockRecord], slow: [SlowIncident] }>}
 */
class Agent extends EventEmitter {
  /** For the response that has metrics() in it. */
  contentType = 'text/plain; version=0.0.4; charset=utf-8'
  #senses
  /** @type {WatchdogThread} */
  #thread
  /** @type {Promise<{ url: string | null }>} */
  #ready
  #isReady = false
  /** @type {(url: string | null) => void} */
  #settle = () => {}
  /** @type {Promise<void> | null} */
  #stopping = null
  #presence
  /** @type {ReturnType<typeof import('./shedding/fastify-plugin').createFastifyPlugin> | undefined} */
  #fastify
  #forget
  /** Listeners of the calls of expectNoBlocks() in progress. @type {Set<(record: BlockRecord) => void>} */
  #expecting = new Set()

  /**
   * @param {ResolvedOptions} options @param {(agent: Agent) => void} forget called by stop()
   * @param {Way} [way] a preload starts before the application
   */
  constructor (options, forget, { presence } = {}) {
    super()
    this.#forget = forget
    this.#presence = presence
    const onFile = (/** @type {string} */ file) => this.#thread?.compiled.add(file)
    const log = besideApplication(options.log)
    const senses = startSenses({ ...options, log }, (message) => this.#thread?.post(message), onFile)
    const isQuiet = presence !== undefined
    const workerData = () => ({ ...senses.workerData(), isQuiet, isShown: presence?.isOn ?? true })
    this.#senses = senses
    /** Internal. The watchdog calls the probe through the inspector in the middle of a block. */
    this.probe = senses.probe
    /** Internal. The watchdog ends a stuck process with this. */
    this.abort = abort
    unblockStream(log)
    this.#ready = new Promise((resolve) => {
      this.#settle = (url) => {
        this.#isReady = true
        this.#thread?.unref()
        resolve({ url })
      }
    })
    try {
      this.#thread = new WatchdogThread(workerData, this.#handlers())
      if (isQuiet) {
        presence.isWorking = () => senses.works.hasWorked
        presence.onChange = () => this.#thread.post({ code: messages.SHOW, isShown: presence.isOn })
      }
      senses.origins.begin()
      process.once('exit', this.#onExit)
    } catch (error) {
      this.stop()
      throw error
    }
  }

  /** Internal. Opens the endpoint of a preloaded process that has been quiet. */
  show () {
    this.#presence?.settle()
  }

  /** Ends the block in which the process exits, as there is no next turn of the loop. */
  #onExit = () => {
    const { heartbeat, gauge } = this.#senses
    try {
      // A watchdog that is still starting would take as long as a short command lasts.
      if (!heartbeat.mayHaveBlock || gauge.counters.get('heard') === 0) return
      this.turn()
      this.stopAtExit(EXIT_MS)
    } catch {
      // The application has replaced a function that this needs. The end of a process comes before that of a block.
    }
  }

  /** @returns {Handlers} */
  #handlers () {
    const { origins, profiler, threads, works, escalates, hold } = this.#senses
    return {
      hold,
      onListening: (url) => {
        this.#settle(url)
        origins.onWatched()
      },
      onMessage: {
        [messages.BLOCK]: ({ record }) => {
          origins.onBlock(record)
          for (const listener of this.#expecting) listener(record)
          blocks.publish(record)
          this.emit('block', record)
        },
        [messages.SLOW]: ({ incident }) => {
          slow.publish(incident)
          this.emit('slow', incident)
        },
        [messages.SPAN]: ({ span }) => require('./work/block-span').writeBlockSpan(span),
        [messages.FOLLOW]: ({ on }) => works.follow(on),
        [messages.WAITS]: (message) => works.watchWaits(message),
        [messages.QUERY]: () => works.followQueries(),
        [messages.TRACK]: (message) => origins.onTrack(message),
        [messages.PROFILE]: ({ action, mostMs }) => {
          // A watchdog that ends may still ask for a profile, which nothing would stop.
          if (this.#stopping === null) profiler.run(action, mostMs)
        },
        [messages.HEAP_PROFILE]: (message) => {
          if (this.#stopping === null) profiler.runHeap(message)
        },
        [messages.THREAD_PROFILE]: ({ threadId }) => threads.profile(threadId),
        [messages.WARN]: ({ message }) => warnOnce('LOOPWATCH_WARN_LOG', `loopwatch: ${message}`)
      },
      onLost: (error) => {
        origins.onLost()
        profiler.stop()
        // The next watchdog does not know that requests are followed.
        if (escalates) works.follow(false)
        const isFinal = error instanceof LoopwatchError
        const prospect = isFinal ? '' : ', and sees no blocks until the next one runs'
        const code = isFinal ? error.code : 'LOOPWATCH_WARN_WATCHDOG'
        warnOnce(code, `loopwatch has no watchdog thread${prospect}: ${error.message}`)
        this.#settle(null)
      }
    }
  }

  /** A plugin for Fastify with the options of middleware(): `fastify.register(agent.fastify, { maxDelay: 200 })`. */
  get fastify () {
    this.#fastify ??= require('./shedding/fastify-plugin').createFastifyPlugin(this.#senses.gauge)
    return this.#fastify
  }

  /** Internal. The watchdog's questions pass it on to the probe. */
  get inspector () {
    return loadInspector()
  }

  /**
   * Resolves when the watchdog watches and its endpoint listens, or, in a worker of node:cluster, when the worker has
   * joined the primary's. `url` is null without an endpoint (port: false, no free port, no watchdog, stopped before).
   */
  get ready () {
    this.show()
    if (!this.#isReady) {
      this.#thread.post({ code: messages.SHOW, isShown: true, isAwaited: true })
      // Waiting for the agent keeps the process alive; having an agent does not.
      this.#thread.ref()
    }
    return this.#ready
  }

  /**
   * Runs a function as a named piece of work, through its awaits, timers and listeners: a block in it has the name.
   * @template T @param {string} name not empty; names are bounded like routes @param {() => T} fn
   * @param {Record<string, string | number>} [attributes] for the record: at most 8, of 200 characters each;
   * `size` is that of the input in bytes
   * @returns {T} what fn returns; if that is a promise, one that settles the same
   * @throws {LoopwatchError} LOOPWATCH_ERR_ARGUMENT; and what fn throws
   */
  run (name, fn, attributes) {
    return this.#senses.works.run(name, fn, attributes)
  }

  /**
   * Returns a function that calls fn as named work each time, with its `this` and arguments.
   * @template {(...args: any[]) => any} F @param {string} name @param {F} fn @returns {F}
   * @throws {LoopwatchError} LOOPWATCH_ERR_ARGUMENT
   */
  wrap (name, fn) {
    return require('./work/validate-work').wrapWith((name, fn) => this.run(name, fn), name, fn)
  }

  /** Blocks in memory, newest first. @returns {Promise<BlockRecord[]>} */
  blocks () {
    return this.#thread.call('blocks', [])
  }

  /** All metrics in Prometheus text format, to append to an existing endpoint. @returns {Promise<string>} */
  metrics () {
    return this.#thread.call('metrics', '')
  }

  /**
   * Tracks for a while where the operations of blocking callbacks were created, whatever the option `origin` says.
   * Tracking takes up to a tenth of the thread. A second call prolongs the first; neither keeps the process alive.
   * @param {{ seconds: number }} options 1 to 300 @returns {Promise<HuntResult>} at its end
   * @throws {LoopwatchError} LOOPWATCH_ERR_OPTION, LOOPWATCH_ERR_OPTION_UNKNOWN
   */
  hunt (options) {
    return this.#senses.origins.hunt(require('./origin/hunt').checkHunt(options), () => this.settle(false))
  }

  /**
   * A middleware for Express and Connect. While the loop is above a limit, requests get 503 with Retry-After. Without
   * limits every request passes.
   * @param {ShedOptions} [options] @throws {LoopwatchError} LOOPWATCH_ERR_OPTION, LOOPWATCH_ERR_OPTION_UNKNOWN
   */
  middleware (options = {}) {
    return require('./shedding/middleware').createMiddleware(this.#senses.gauge, options)
  }

  /**
   * How late timers come and how busy the loop is, for health checks and your own shedding. Takes microseconds.
   * @returns {LoopLoadReport} delays in milliseconds, utilization from 0 to 1
   */
  load () {
    return this.#senses.report.read()
  }

  /**
   * Runs a function that may block. Blocks that are mostly within such calls count under the cause `allowed` and are
   * not logged. Only the function's synchronous part counts, nothing after an `await`.
   * @template T @param {() => T} fn @param {string} reason kept in the record @returns {T} what the function returns
   * @throws {LoopwatchError} LOOPWATCH_ERR_OPTION
   */
  allow (fn, reason) {
    checkAllow(fn, reason)
    return this.#stopping === null ? this.#senses.allowed.run(fn, reason) : fn()
  }

  /**
   * Runs a function, and rejects if the event loop is blocked before the function has settled.
   * @template T @param {() => T} fn @returns {Promise<Awaited<T>>} what the function returns
   * @param {{ overMs?: number }} [options] the limit; at least the option `threshold`, which is its default
   * @throws {LoopwatchError} LOOPWATCH_ERR_BLOCKED with the longest block's record as `cause`, LOOPWATCH_ERR_UNWATCHED,
   * LOOPWATCH_ERR_OPTION, LOOPWATCH_ERR_OPTION_UNKNOWN
   */
  expectNoBlocks (fn, options = {}) {
    return require('./expect-no-blocks').expectNoBlocks(this.#watch, fn, options)
  }

  /** @returns {Watch} */
  get #watch () {
    const { thresholdMs, keep } = this.#senses
    return {
      thresholdMs,
      keep,
      ready: () => this.ready,
      blocks: () => this.#thread.call('blocks', null),
      settle: () => this.settle(),
      onSettled: (listener) => {
        this.#expecting.add(listener)
        return () => this.#expecting.delete(listener)
      }
    }
  }

  /**
   * Internal. Resolves once all blocks so far have final records, after three seconds at the latest.
   * @param {boolean} [keepsAlive] the process
   */
  async settle (keepsAlive) {
    // A block of the turn that calls this ends here.
    this.turn()
    await this.#thread.call('settle', undefined, keepsAlive)
  }

  /**
   * Sends everything for `otlp` and `notify` at once, as the process may be about to freeze. Resolves after 1.4 s at
   * the latest, and never rejects.
   * @returns {Promise<void>}
   */
  async flush () {
    if (this.#stopping !== null) return
    // A block of the turn that calls this ends here.
    this.turn()
    await this.#thread.call('flush', undefined)
  }

  /** Releases everything, so that the process can end by itself. Never rejects. @returns {Promise<void>} */
  stop () {
    this.#stopping ??= (async () => {
      stopAll([
        { stop: () => this.#forget(this) },
        { stop: () => this.#presence?.stop() },
        { stop: () => process.removeListener('exit', this.#onExit) },
        this.#senses
      ])
      try {
        // A thread that could not be started is undefined.
        await this.#thread?.stop()
      } catch {
        // The application has replaced a function that this needs. An unhandled rejection would end the process.
      }
      // The watchdog may not have joined or listened by then.
      this.#settle(null)
    })()
    return this.#stopping
  }

  /** Internal. The first test may block before the watchdog watches. @param {number} longestMs */
  sleepUntilWatched (longestMs) {
    sleepUntil(() => this.#senses.gauge.counters.get('heard') > 0, longestMs)
  }

  /** Internal. Begins a new turn of the loop: code that ran before is not part of a later block. */
  turn () {
    this.#senses.heartbeat.turn()
    this.#thread.postMaps()
  }

  /** Internal. Names the source map of a file compiled in memory. @param {string} file @param {string} mapFile */
  mapFile (file, mapFile) {
    this.#thread.mapFile(file, mapFile)
  }

  /** Internal. Ignores blocks at the top level, up to the first turn(). */
  skipTopLevel () {
    this.#senses.heartbeat.skipTopLevel()
  }

  /** Internal. Whether the running code was passed to allow(). */
  get isAllowed () {
    return this.#senses.allowed.isRunning
  }

  /** Internal. CPU time that the agent itself has spent on this thread so far. */
  get heldCpuMs () {
    return this.#senses.gauge.counters.heldCpuMs
  }

  /** Internal. Waits until all records are written. @param {number} longestMs */
  stopAtExit (longestMs) {
    this.#thread.postMaps()
    this.stop()
    // Later listeners of 'exit' may list the handles of the process: ours must not be among them.
    this.#thread.release()
    sleepUntil(() => this.#senses.gauge.counters.get('released') > 0, longestMs)
  }
}

/** Sleeps in rounds of 1 ms: the clock may be a fake one. @param {() => boolean} holds @param {number} longestMs */
function sleepUntil (holds, longestMs) {
  const never = new Int32Array(new SharedArrayBuffer(4))
  for (let sleptMs = 0; sleptMs < longestMs && !holds(); sleptMs++) wait(never, 0, 0, 1)
}

exports.Agent = Agent
