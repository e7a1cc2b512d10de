'use strict'

const { threadId } = require('node:worker_threads')
const { nowMs } = require('../util/clock')
const { openBridge } = require('../bridge/memory')
const { LISTENING, BLOCK, FOLLOW, LEAD, PROFILE, SOURCE_MAP, THREAD_STARTED, THREAD_ENDED, WARN } = require('../bridge/messages')
const { BlockMemory, mergeNewest } = require('../store/memory')
const { Cluster } = require('../cluster/cluster')
const { summaryOf } = require('../store/record')
const { BlockFile } = require('../store/block-file')
const { BlockLog } = require('../export/log/log')
const { Metrics } = require('../export/prometheus/metrics')
const { renderFamilies } = require('../export/prometheus/exposition')
const { abort } = require('./abort')
const { BadRoutes } = require('./requests/bad-routes')
const { Degradations } = require('./health')
const { Endpoint } = require('./endpoint')
const { Following } = require('./triggers/request-tracking')
const { GcPauses } = require('./loop/gc-pauses')
const { askHost, NOT_ALLOWED } = require('./loop/inspector')
const { Kernel } = require('./kernel/main-thread')
const { LivePage } = require('./page-feed/feed')
const { takeLosses } = require('./dropped-events')
const { startProfiling } = require('./profile/profiling')
const { RequestStats } = require('./requests/stats')
const { Sources } = require('./source/source-maps')
const { startPyroscope } = require('./profile/pyroscope')
const { Origins } = require('./origin/matcher')
const { Pace } = require('./loop/poll-scheduler')
const { ThreadReports } = require('./workers/sinks')
const { ThreadWatch } = require('./loop/monitor')
const { WorkerThreads } = require('./workers/workers')
const { version } = require('../../package.json')

const QUIET_MS = 5000
const COUNT_MS = 1000

/** @typedef {import('../store/record').BlockRecord} BlockRecord */

/**
 * The watchdog: looks at the host's heartbeat whenever a block could be due, asks the host where it
 * is while it is silent, and hands what it learns to store and export. Composes; decides nothing.
 */
class Watchdog {
  #options
  #bridge
  #post
  #startedAtMs = nowMs()
  #starts
  #blocks = 0
  /** @type {GcPauses} */
  #gcPauses
  #badRoutes = new BadRoutes()
  #kernel = new Kernel()
  #pace = new Pace({ ownCpuMs: () => this.#kernel.ownCpuMs(), glance: (now) => this.#glance(now), look: (now, selfLate) => this.#look(now, selfLate) })
  #degradations
  #origins
  #profiling
  #sources
  #memory
  #workerBlocks
  #file
  #log
  #metrics
  #requests
  #following
  #page
  #endpoint
  #pyroscope
  #cluster
  #main
  /** @type {ThreadReports} */
  #threadReports
  /** @type {WorkerThreads | null} */
  #threads = null
  #quietAtMs = Infinity
  #countAtMs = 0

  /**
   * @param {{ memory: SharedArrayBuffer, options: import('../options/table').ResolvedOptions, histogram: import('node:perf_hooks').RecordableHistogram, mayInspect: boolean, profilesItself: boolean, namesRequests: boolean, escalates: boolean, stripsTypes: boolean, role: import('../cluster/cluster').Role, threads: import('./workers/worker').Hello[], starts: number }} data
   * @param {(message: object) => void} post to the host
   */
  constructor ({ memory, options, histogram, mayInspect, profilesItself, namesRequests, escalates, stripsTypes, role, threads, starts }, post) {
    this.#options = options
    this.#bridge = openBridge(memory)
    this.#post = post
    this.#starts = starts
    this.#sources = new Sources(post, stripsTypes)
    const say = (/** @type {'debug' | 'info' | 'warn'} */ level, /** @type {object} */ fields, /** @type {string} */ message) => this.#log?.say(level, fields, message)
    this.#degradations = new Degradations(say, (message) => post({ code: WARN, message }))
    this.#log = options.log === false ? null : new BlockLog({ log: options.log, nowMs, onState: (error) => this.#degradations.set('log', error) })
    this.#memory = new BlockMemory(options.keep, (record) => this.#page.put(record))
    this.#workerBlocks = new BlockMemory(options.keep, (record) => this.#page.put(record))
    this.#file = options.dir === undefined ? null : new BlockFile({ dir: options.dir, name: `blocks-${process.pid}-${Date.now()}`, nowMs, onState: (error) => this.#degradations.set('dir', error) })
    const { frames } = this.#sources
    this.#origins = new Origins({ isAuto: options.origin === 'auto', frames, post, say, onState: (failure) => this.#degradations.set('origin', failure) })
    this.#profiling = startProfiling(options.profile, { mayInspect, profilesItself, bridge: this.#bridge, sources: this.#sources, say, onState: (failure) => this.#degradations.set('profile', failure) })
    this.#metrics = new Metrics({
      loop: () => this.#loop(),
      cpuSeconds: () => this.#kernel.cpuSeconds(),
      threads: () => this.#threads?.states() ?? new Map(),
      degraded: () => this.#degradations.entries(),
      inFlight: () => this.#bridge.counters.get('inFlight'),
      originTracking: () => this.#origins.isTracking,
      profiling: () => this.#profiling.isOn,
      shed: () => ({ delay: this.#bridge.counters.get('shedDelay'), utilization: this.#bridge.counters.get('shedUtilization') }),
      cluster: () => this.#cluster.state,
      histogram,
      thresholdMs: options.threshold,
      routes: options.routes,
      labels: options.labels,
      version,
      // The primary adds the lives of a worker's watchdog.
      anew: starts > 0 && role.kind === 'worker'
    })
    this.#gcPauses = new GcPauses(this.#bridge.gcPauses, this.#metrics)
    this.#requests = new RequestStats(this.#bridge, this.#metrics, (durationMs) => this.#page.history.addRequest(durationMs))
    this.#following = escalates ? new Following((on) => post({ code: FOLLOW, on }), say) : null
    this.#main = new ThreadWatch({
      thread: 'main',
      threadId: 0,
      bridge: this.#bridge,
      options,
      ask: (isAgain) => this.#ask(mayInspect, isAgain),
      readKernel: (now) => this.#kernel.read(now),
      readPrecisely: (reading) => this.#kernel.precise(reading),
      ...this.#profiling.parts,
      surroundings: {
        ...this.#profiling.surroundings,
        gcWithin: (startMs, endMs) => this.#gcPauses.within(startMs, endMs),
        watchdogGapWithin: (startMs, endMs) => this.#pace.lateness.within(startMs, endMs),
        originWithin: (startMs, endMs) => this.#origins.within(startMs, endMs)
      },
      frames,
      nextId: () => this.#nextId(),
      reports: this.#reports()
    })
    this.#threadReports = new ThreadReports({
      keep: options.keep,
      file: this.#file,
      log: options.threads === 'on' ? this.#log : null,
      metrics: this.#metrics,
      tell: (record) => this.#cluster.block(record),
      onSettled: (record) => {
        this.#quietAtMs = nowMs() + QUIET_MS
        this.#pyroscope?.add(record)
        if (options.threads === 'on') this.#post({ code: BLOCK, record: summaryOf(record) })
      },
      onPut: (record) => this.#page.put(record),
      onDropped: (id) => this.#page.drop(id)
    })
    if (options.threads === 'auto' || (options.threads === 'on' && mayInspect)) {
      this.#threads = new WorkerThreads({
        known: threads,
        isAsked: options.threads === 'on',
        options,
        ownId: threadId,
        bridge: this.#bridge,
        labelOf: (name) => this.#metrics.threadLabel(name),
        kernel: this.#kernel,
        watchdogGapWithin: (startMs, endMs) => this.#pace.lateness.within(startMs, endMs),
        frames,
        nextId: () => this.#nextId(),
        onNew: () => this.#pace.hurry(),
        onState: (excess) => this.#degradations.set('threads', excess),
        reports: this.#threadReports
      })
    }
    if (!namesRequests) this.#degradations.set('requests', { message: `Node.js ${process.versions.node} has CVE-2025-59466; update it, or set requests: 'on'` })
    this.#cluster = this.#joinCluster(role)
    this.#page = new LivePage({
      version,
      options,
      histogram,
      loop: () => this.#loop(),
      blocks: () => this.#records(),
      ongoing: () => this.#ongoing(),
      inFlight: () => this.#bridge.counters.get('inFlight'),
      degraded: () => this.#degradations.entries(),
      workers: () => this.#cluster.blockedMs
    })
    this.#endpoint = new Endpoint({
      options,
      log: this.#log,
      sources: {
        metrics: { contentType: (openMetrics) => this.#metrics.contentType(openMetrics), render: (openMetrics) => this.#render(openMetrics) },
        blockedMs: () => this.#main.blockedMs,
        workers: () => this.#cluster.blockedMs,
        blocks: () => this.#list(),
        block: (id) => this.#memories().map((memory) => memory.get(id)).find((record) => record !== undefined),
        records: () => this.#records(),
        profile: (id) => this.#profiling.fileOf(id),
        page: this.#page
      },
      onState: (error) => this.#degradations.set('endpoint', error),
      onListening: (url) => this.#listening(url)
    })
    this.#pyroscope = startPyroscope(options, { degradations: this.#degradations, metrics: this.#metrics })
    this.#pace.wake()
    if (role.kind !== 'worker') this.#endpoint.listen()
  }

  /** @param {import('../cluster/cluster').Role} role @returns {Cluster} */
  #joinCluster (role) {
    return new Cluster({
      role,
      nowMs,
      snapshot: () => this.#refresh().snapshot(),
      blocks: () => this.#memory.list(),
      onBlock: (record) => this.#workerBlocks.put(record),
      onJoined: (url) => {
        this.#log?.say('info', { event: 'joined', url }, url === null ? 'watching, joined the primary, which has no endpoint' : `watching, joined the primary's endpoint at ${url}`)
        this.#endpoint.close()
        this.#degradations.set('endpoint', null)
        this.#post({ code: LISTENING, url })
      },
      // A primary that comes back must find its port free.
      onAlone: (hadPrimary) => this.#endpoint.listen(hadPrimary ? 1 : 0),
      onState: (error) => this.#degradations.set('cluster', error),
      onFault: (error, isFirst) => {
        this.#metrics.drop('cluster_connection')
        if (isFirst) this.#log?.say('warn', { event: 'fault' }, `closed a connection that does not speak as a worker does: ${error.message}`)
      }
    })
  }

  /** @param {string | null} url */
  #listening (url) {
    this.#cluster.tellUrl(url)
    this.#post({ code: LISTENING, url })
  }

  /** @param {boolean} [openMetrics] */
  async #render (openMetrics = false) {
    const union = await this.#cluster.union()
    return union === null ? this.#refresh().render(openMetrics) : renderFamilies(union, openMetrics)
  }

  /** @param {number} now @returns {number | null} */
  #glance (now) {
    const wakeAtMs = this.#profiling.isActive || now >= this.#page.dueAtMs ? null : this.#main.glance(now)
    if (this.#bridge.requests.isFilling) this.#requests.drain(this.#main.knownToMs)
    return wakeAtMs
  }

  /** @param {number} now @param {boolean} selfLate @returns {{ wakeAtMs: number, dueAtMs: number }} */
  #look (now, selfLate) {
    this.#gcPauses.drain()
    const { wakeAtMs, eventful } = this.#main.look(now, selfLate)
    this.#requests.drain(this.#main.knownToMs)
    this.#origins.look(now, this.#main.beat)
    this.#profiling.look(now, this.#main.blockedMs > 0)
    this.#page.look(now)
    if (eventful || now >= this.#countAtMs) this.#count(now)
    return { wakeAtMs, dueAtMs: Math.min(this.#threads?.look(now, selfLate) ?? Infinity, this.#page.dueAtMs) }
  }

  /** Brings the metrics up to what is known of blocks. */
  #refresh () {
    this.#gcPauses.drain()
    this.#requests.drain(this.#main.knownToMs)
    return this.#metrics
  }

  /** @param {boolean} mayInspect @param {boolean} isAgain */
  #ask (mayInspect, isAgain) {
    const failure = mayInspect ? askHost(isAgain) : NOT_ALLOWED
    this.#degradations.set('inspector', failure === null ? null : { message: failure })
    return failure === null
  }

  /** What becomes of a block. @returns {import('./loop/monitor').Reports} */
  #reports () {
    const ongoing = (/** @type {BlockRecord} */ record) => {
      this.#remember(record)
      this.#file?.append(record)
    }
    return {
      opened: (record) => {
        ongoing(record)
        this.#log?.opened(record)
      },
      lasting: (record) => {
        ongoing(record)
        this.#log?.lasting(record)
      },
      stuck: (record) => {
        ongoing(record)
        this.#log?.stuck(record)
        if (this.#options.onStuck === 'abort') abort()
      },
      ended: (record, interval) => {
        this.#remember(record)
        this.#requests.addBlock(interval)
        this.#profiling.ended(interval.endMs)
        this.#origins.ended(record)
      },
      settled: (record, endMs) => {
        this.#following?.block(nowMs())
        if (endMs < this.#startedAtMs) this.#metrics.drop('missed_block')
        this.#remember(record)
        this.#metrics.observeBlock(record)
        this.#pyroscope?.add(record)
        this.#origins.settled(record)
        this.#profiling.settled(record)
        this.#file?.append(record)
        this.#log?.closed(record)
        this.#quietAtMs = nowMs() + QUIET_MS
        this.#post({ code: BLOCK, record: summaryOf(record) })
      }
    }
  }

  /** @param {BlockRecord} record */
  #remember (record) {
    this.#memory.put(record)
    this.#cluster.block(record)
  }

  /** @param {number} now */
  #count (now) {
    this.#countAtMs = now + COUNT_MS
    this.#following?.tick(now)
    this.#degradations.set('route', this.#badRoutes.judge(this.#bridge.counters.get('badRoute'), now))
    if (now >= this.#quietAtMs) {
      this.#log?.flushSuppressed()
      this.#quietAtMs = Infinity
    }
    const losses = takeLosses({ log: this.#log, bridge: this.#bridge, threads: this.#threads, threadReports: this.#threadReports, file: this.#file, cluster: this.#cluster })
    for (const [reason, count] of Object.entries(losses)) {
      if (count > 0) this.#metrics.drop(reason, count)
    }
  }

  #nextId () {
    const life = this.#starts === 0 ? '' : `${this.#starts}.`
    return `${process.pid}-${life}${++this.#blocks}`
  }

  /** Of this process's main thread, of its other threads, and of a cluster's workers, up to date with the blocks in progress. */
  #memories () {
    for (const record of this.#ongoing()) (record.worker !== null ? this.#workerBlocks : record.threadId !== 0 ? this.#threadReports.memory : this.#memory).put(record)
    return [this.#memory, this.#threadReports.memory, this.#workerBlocks]
  }

  /** Blocks in progress, as they are now. @returns {BlockRecord[]} */
  #ongoing () {
    const { ongoing } = this.#main
    return [...(ongoing === null ? [] : [ongoing]), ...this.#threads?.ongoing ?? [], ...this.#cluster.ongoing]
  }

  #records () {
    return this.#memories().map((memory) => memory.list()).reduce(mergeNewest)
  }

  #list () {
    return this.#records().map(summaryOf)
  }

  #loop () {
    const { atMs, activeMs, idleMs } = this.#main.beat
    const inProgressMs = this.#main.blockedMs
    return { activeMs: activeMs + inProgressMs, idleMs, heartbeatAgeMs: nowMs() - atMs, inProgressMs }
  }

  /** What the host says. @param {{ code: number, threadId: number, file: string, text: string | null }} message */
  receive (message) {
    if (message.code === LEAD) this.#cluster.lead()
    else if (message.code === THREAD_STARTED) this.#threads?.begun(message)
    else if (message.code === THREAD_ENDED) this.#threads?.ended(message.threadId)
    else if (message.code === PROFILE) this.#profiling.receive(message)
    else if (message.code === SOURCE_MAP) this.#sources.receive(message)
    else this.#origins.receive(message)
  }

  /** What the host asks for. @param {string} method @returns {Promise<unknown>} */
  async answer (method) {
    return method === 'blocks' ? this.#list() : this.#render()
  }

  /** Ends watching, up to date with all that has ended; a block in progress is recorded as far as it came. */
  async stop () {
    const now = nowMs()
    this.#pace.stop()
    this.#look(now, true)
    this.#main.stop(now)
    this.#threads?.stop()
    this.#requests.drain(Infinity)
    this.#count(now)
    for (const part of [this.#page, this.#endpoint]) part.close()
    this.#pyroscope?.stop()
    await this.#cluster.stop()
    this.#log?.flushSuppressed()
    for (const part of [this.#log, this.#file, this.#kernel]) part?.close()
    this.#bridge.counters.add('released', 1)
  }
}

exports.Watchdog = Watchdog
