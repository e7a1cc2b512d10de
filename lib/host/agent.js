'use strict'

const { EventEmitter } = require('node:events')
const { sleepUntil } = require('../util/sleep')
const { US_PER_MS } = require('../util/units')
const process = require('../util/process')
const { publish } = require('./events')
const { createMemory, openBridge } = require('../bridge/memory')
const { LEAD } = require('../bridge/messages')
const { LoopwatchError } = require('../tables/errors')
const { isTestRunner } = require('./test-runner')
const { startClusterRole } = require('./cluster-role')
const { startHeartbeat } = require('./sense/heartbeat')
const { Delays } = require('./sense/delays')
const { startGcObserver } = require('./sense/gc')
const { checkHunt } = require('./origin/hunt')
const { OriginTracker } = require('./origin/tracker')
const { HostProfiler } = require('./sense/profiler')
const { createFastifyPlugin } = require('./shedding/fastify-plugin')
const { Load } = require('./shedding/loop-load')
const { createMiddleware } = require('./shedding/middleware')
const { createProbe } = require('./sense/probe')
const { Requests, noRequests } = require('./http/requests')
const {
  hasContextFrame, hasNetworkInspection, inspector, isContextSafe, isInMainContext, isProfiledByNode, stripsTypes
} = require('./runtime')
const { unblockStream } = require('./nonblocking-stdout')
const { startThreads } = require('./workers')
const { warnOnce } = require('./warn-once')
const { WatchdogThread, isStarting } = require('./watchdog-thread')

/**
 * The agent of one process: what senses on the host thread, and the watchdog it reports to.
 *
 * Event `block`: a finished block's record (lib/store/record.js). It needs the host's loop, so it
 * comes late by nature; the log, the endpoint and `dir` do not.
 * @extends {EventEmitter<{ block: [import('../store/record').BlockRecord] }>}
 */
class Agent extends EventEmitter {
  /** Content type of what metrics() resolves with. */
  contentType = 'text/plain; version=0.0.4; charset=utf-8'
  #bridge
  #parts
  #origins
  #gauge
  #thread
  /** @type {Promise<{ url: string | null }>} */
  #ready
  #isReady = false
  /** @type {(url: string | null) => void} */
  #settle
  /** @type {Promise<void> | null} */
  #stopping = null
  #forget

  /**
   * @param {import('../options/table').ResolvedOptions} options
   * @param {(agent: Agent) => void} forget called when the agent stops
   * @param {boolean} [isPreload] it is started before the application, which may be a tool that ends in no time
   */
  constructor (options, forget, isPreload = false) {
    super()
    this.#forget = forget
    const memory = createMemory()
    const bridge = openBridge(memory)
    this.#bridge = bridge
    const isAuto = options.requests === 'auto'
    const isUnsafe = isAuto && !isContextSafe(process.versions.node)
    // Where following costs a tenth of the throughput it waits for the first block.
    const escalates = isAuto && !isUnsafe && !hasContextFrame()
    const requests = options.requests === 'off' ? noRequests : new Requests(bridge, options)
    if (!isUnsafe && !escalates) requests.follow(true)
    /** Called by the watchdog through the inspector, in mid-block. Not for others. */
    this.probe = createProbe(bridge, () => requests.current())
    const profiler = new HostProfiler(bridge, options.threshold, (message) => this.#thread?.post(message))
    /**
     * The same, for a CPU profile of this thread. Not for others.
     * @type {HostProfiler['run']}
     */
    this.profile = (inspector, action) => profiler.run(inspector, action)
    // Here and not by the watchdog: before the application is compiled, V8 has the least to list. It takes 8 ms in a bare
    // process on 20.20 and 20 on later lines, which every command of a shell would pay under NODE_OPTIONS.
    const startsProfile = options.profile === 'on' || (options.profile === 'auto' && !isPreload)
    const profilesItself = isProfiledByNode(process.execArgv, process.env)
    if (startsProfile && mayInspect() && !profilesItself) profiler.run(inspector(), options.profile === 'on' ? 'start' : 'startIfSmall')
    const threads = startThreads(options, bridge, (message) => this.#thread?.post(message), isStarting)
    /**
     * Called by the watchdog as well, to reach worker threads of the application. Not for others.
     * @type {ReturnType<typeof import('./workers/inspector-proxy').createRelay> | undefined}
     */
    this.relay = threads.relay
    this.#gauge = { load: new Load(), counters: bridge.counters }
    /** A plugin for Fastify with the options of middleware(): `fastify.register(agent.fastify, { maxDelay: 200 })`. */
    this.fastify = createFastifyPlugin(this.#gauge)
    const delays = new Delays(options)
    const heartbeat = startHeartbeat(bridge, { ...options, onLate: (atMs, idleMs) => requests.late(atMs, idleMs) }, { load: this.#gauge.load, delays })
    this.#origins = new OriginTracker(options, (message) => this.#thread?.post(message))
    const cluster = startClusterRole(() => this.#thread.post({ code: LEAD }))
    this.#parts = [heartbeat, requests, ...(options.gc === 'on' ? [startGcObserver(bridge)] : []), this.#origins, profiler, threads, cluster]

    unblockStream(options.log)

    let settle = (/** @type {{ url: string | null }} */ _) => {}
    this.#ready = new Promise((resolve) => { settle = resolve })
    this.#settle = (url) => {
      this.#isReady = true
      this.#thread?.unref()
      settle({ url })
    }
    this.#thread = new WatchdogThread(
      () => ({ memory, options: { ...options, route: undefined }, histogram: delays.histogram, mayInspect: mayInspect(), profilesItself, namesRequests: !isUnsafe, escalates, stripsTypes: stripsTypes(), role: cluster.role(), threads: threads.known() }),
      {
        onListening: (url) => {
          this.#settle(url)
          this.#origins.onWatched()
        },
        onBlock: (record) => {
          this.#origins.onBlock(record)
          publish(record)
          this.emit('block', record)
        },
        onFollow: (on) => requests.follow(on),
        onTrack: (message) => this.#origins.onTrack(message),
        onWarning: (message) => warnOnce('LOOPWATCH_WARN_LOG', `loopwatch: ${message}`),
        onLost: (error) => {
          this.#origins.onLost()
          profiler.stop()
          // The next watchdog does not know that they are.
          if (escalates) requests.follow(false)
          warnOnce(error instanceof LoopwatchError ? error.code : 'LOOPWATCH_WARN_WATCHDOG', `loopwatch has no watchdog thread${error instanceof LoopwatchError ? '' : ' and will try again'}: ${error.message}`)
          this.#settle(null)
        }
      })
    this.#origins.begin()
  }

  /** What the watchdog's questions take along. Not for others. */
  get inspector () {
    return inspector()
  }

  /**
   * Settles when the watchdog watches and its endpoint listens, in a worker of node:cluster when it
   * has joined the primary's; `url` is null where there is none (port: false, no free port, no watchdog, stopped before).
   */
  get ready () {
    // Waiting for it keeps the process alive, having an agent does not.
    if (!this.#isReady) this.#thread.ref()
    return this.#ready
  }

  /** Blocks in memory, newest first. @returns {Promise<import('../store/record').BlockRecord[]>} */
  blocks () {
    return this.#thread.call('blocks', [])
  }

  /** All metrics in Prometheus text format, to append to an existing endpoint. @returns {Promise<string>} */
  metrics () {
    return this.#thread.call('metrics', '')
  }

  /**
   * Tracks for a while where the asynchronous operations are created whose callbacks block, whatever
   * the option `origin` says. It costs most of the throughput. A second call prolongs the first;
   * neither keeps the process alive.
   * @param {{ seconds: number }} options 1 to 300
   * @returns {Promise<import('./origin/hunt').HuntResult>} when it is over
   * @throws {import('../tables/errors').LoopwatchError} LOOPWATCH_ERR_OPTION, LOOPWATCH_ERR_OPTION_UNKNOWN
   */
  hunt (options) {
    return this.#origins.hunt(checkHunt(options))
  }

  /**
   * A middleware for Express and Connect that answers 503 with Retry-After while the loop is above a
   * limit. Without limits it passes everything on.
   * @param {import('./shedding/options').ShedOptions} [options]
   * @throws {import('../tables/errors').LoopwatchError} LOOPWATCH_ERR_OPTION, LOOPWATCH_ERR_OPTION_UNKNOWN
   */
  middleware (options = {}) {
    return createMiddleware(this.#gauge, options)
  }

  /** Releases everything; the process can then end by itself. @returns {Promise<void>} */
  stop () {
    this.#stopping ??= (async () => {
      this.#forget(this)
      for (const part of this.#parts) part.stop()
      await this.#thread.stop()
      // It may not have joined or listened by then.
      this.#settle(null)
    })()
    return this.#stopping
  }

  /** How long the agent itself has kept this thread so far, ms; wraps. Not for others. */
  get heldMs () {
    const { counters } = this.#bridge
    return ((counters.get('relayMicros') + counters.get('profileMicros')) | 0) / US_PER_MS
  }

  /**
   * The same as the process exits, where no promise is heard any more: waits until the watchdog has filed all that it
   * knows. Not for others.
   * @param {number} longestMs
   */
  stopAtExit (longestMs) {
    this.stop()
    sleepUntil(() => this.#bridge.counters.get('released') > 0, longestMs)
  }
}

/**
 * A thread that connects to its parent's inspector against the permission model, or where there is
 * none, does not get an error: the process aborts (measured on 20.20, 22.23, 24.21, 26.10), and only
 * the parent can tell. Where sessions that come and go would end what others are told of the network, there are none.
 */
function mayInspect () {
  const { permission } = /** @type {{ permission?: { has: (scope: string) => boolean } }} */ (/** @type {unknown} */ (process))
  return !isTestRunner(process.execArgv) && !hasNetworkInspection(process.execArgv) && isInMainContext() &&
    (permission === undefined || permission.has('inspector'))
}

exports.Agent = Agent
