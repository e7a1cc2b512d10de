'use strict'

const { Registry, Counter, Gauge, Histogram } = require('./registry')
const { table, SITES, THREADS } = require('../../tables/metrics')
const { causes } = require('../../tables/causes')
const { DelayHistogram } = require('./delay-histogram')
const { snapshotOf } = require('./exposition')
const { LabelBound } = require('./label-bound')
const { RecentLongest } = require('./recent-longest')
const { OTHER } = require('../../util/other')
const { SeriesHistogram } = require('./series-histogram')
const { MS_PER_S } = require('../../util/units')

/** The label of the main thread, which no worker thread may have. */
const MAIN = 'main'
const classes = { counter: Counter, gauge: Gauge, histogram: Histogram }

/**
 * @typedef {object} Sources what is read at each scrape
 * @property {() => { activeMs: number, idleMs: number, heartbeatAgeMs: number, inProgressMs: number }} loop
 * @property {() => Record<string, { user: number, system: number } | null>} cpuSeconds by thread
 * @property {() => Map<string, { activeMs: number, idleMs: number, heartbeatAgeMs: number, inProgressMs: number, cpu: { user: number, system: number }, count: number }>} [threads]
 * worker threads by label; `count` of them live
 * @property {() => Iterable<[string, boolean]>} degraded by reason
 * @property {() => number} inFlight requests being worked on
 * @property {() => boolean} originTracking
 * @property {() => boolean} profiling
 * @property {() => Record<string, number>} shed requests by reason, Int32 that wrap
 * @property {() => { workers: Record<string, number>, restarts: Map<number, number> } | null} cluster workers by state, restarts by slot
 * @property {import('node:perf_hooks').RecordableHistogram} histogram of delays, nanoseconds
 * @property {number} thresholdMs
 * @property {number} routes
 * @property {Record<string, string>} labels
 * @property {string} version
 * @property {() => number} [nowMs] the clock of all threads unless given
 * @property {boolean} [anew] count from what is found on, because an earlier watchdog's counts are kept and added
 */

/** The metrics of the catalogue, filled from what the watchdog tells and from its sources. */
class Metrics {
  /** Exemplars need a registry that is OpenMetrics from the start; the text format reads through it. */
  #openMetrics = new Registry()
  #text = new Registry()
  /** @type {Record<string, any>} */
  #metrics = {}
  #sources
  /** Routes that a router has told, and those made of paths that nobody knew: the ones must not take the room of the others. */
  #routes
  #guesses
  #sites
  #threads
  #longest
  /** @type {Map<string, number>} counters that are read, not counted, and their last value */
  #totals = new Map()

  /** @param {Sources} sources */
  constructor (sources) {
    this.#sources = sources
    this.#openMetrics.setContentType(/** @type {any} */ (Registry.OPENMETRICS_CONTENT_TYPE))
    for (const row of table) this.#metrics[row.key] = this.#create(row)
    this.#openMetrics.setDefaultLabels(sources.labels)
    this.#text.setDefaultLabels(sources.labels)
    this.#routes = new LabelBound(sources.routes)
    this.#guesses = new LabelBound(sources.routes)
    this.#sites = new LabelBound(SITES)
    this.#threads = new LabelBound(THREADS)
    this.#longest = new RecentLongest(sources.nowMs)
    this.#metrics.buildInfo.set({ version: sources.version, node_version: process.versions.node }, 1)
    this.#metrics.threshold.set(sources.thresholdMs / MS_PER_S)
  }

  /** @param {(typeof table)[number]} row */
  #create ({ key, name, type, help, labels, buckets }) {
    const own = this.#createOwn(key, { name, help, buckets: /** @type {number[]} */ (buckets) })
    if (own !== null) {
      for (const registry of [this.#openMetrics, this.#text]) registry.registerMetric(/** @type {any} */ (own))
      return own
    }
    const Metric = /** @type {any} */ (classes)[type]
    const thresholdS = this.#sources.thresholdMs / MS_PER_S
    const metric = new Metric({
      name,
      help,
      labelNames: labels,
      registers: [this.#openMetrics],
      ...(buckets && { buckets: key === 'blockDuration' ? [thresholdS, ...buckets.filter((bound) => bound > thresholdS)] : buckets }),
      ...(key === 'blockDuration' && { enableExemplars: true })
    })
    // OpenMetrics names a counter without its suffix, and prom-client renames it when it prints.
    const read = async () => ({ ...await (metric.getForPromString ? metric.getForPromString() : metric.get()), name })
    this.#text.registerMetric(/** @type {any} */ ({ name, help, type, get: read, getForPromString: read }))
    return metric
  }

  /** The histograms that are not prom-client's. @param {string} key @param {{ name: string, help: string, buckets: number[] }} row */
  #createOwn (key, row) {
    const { histogram, anew } = this.#sources
    if (key === 'delay') return new DelayHistogram({ ...row, histogram, anew })
    return key === 'requestDuration' || key === 'requestBlocked' ? new SeriesHistogram(row) : null
  }

  /** The label of a route: itself, or `(other)` where the bound is reached. @param {string} route @param {boolean} isGuess */
  routeLabel (route, isGuess) {
    if (route === OTHER) return OTHER
    const [bound, other] = isGuess ? [this.#guesses, this.#routes] : [this.#routes, this.#guesses]
    return other.has(route) ? route : bound.bound(route)
  }

  /** @param {string} route label @param {string} method @param {string} statusClass */
  requestSeries (route, method, statusClass) {
    return this.#metrics.requestDuration.series({ method, route, status_class: statusClass })
  }

  /** @param {string} route label */
  requestBlockedSeries (route) {
    return this.#metrics.requestBlocked.series({ route })
  }

  /** An observation went to `(other)`. @param {string} label */
  overflowed (label) {
    this.#metrics.overflow.inc({ label })
  }

  /** @param {import('../../store/record').BlockRecord} record of a finished block */
  observeBlock ({ id, thread, cause, durationMs, request, frame }) {
    const seconds = durationMs / MS_PER_S
    const label = this.threadLabel(thread)
    this.#metrics.blockDuration.observe({ labels: { thread: label, cause }, value: seconds, exemplarLabels: { block_id: id } })
    this.#longest.add(label, durationMs)
    // What worker threads spend is no loss to the requests of the main thread.
    if (thread !== MAIN) return
    this.#metrics.blocked.inc({ cause, route: request && !request.ended ? this.#blockedRoute(request.route) : '(none)' }, seconds)
    // What was no fault of the code is no fault of a line.
    if (frame && causes[cause].excuse === undefined) this.#metrics.site.inc({ site: this.#bounded('site', this.#sites, siteOf(frame)) }, seconds)
  }

  /** A record does not say whether its route was guessed: one that no request has been counted under was, as far as is known. @param {string} route */
  #blockedRoute (route) {
    const label = this.routeLabel(route, true)
    if (label === OTHER) this.overflowed('route')
    return label
  }

  /** @param {string} label @param {LabelBound} bound @param {string} value */
  #bounded (label, bound, value) {
    const bounded = bound.bound(value)
    if (bounded === OTHER) this.overflowed(label)
    return bounded
  }

  /** The bounded label of a thread's name. @param {string} name */
  threadLabel (name) {
    return name === MAIN ? name : this.#bounded('thread', this.#threads, name)
  }

  /** @param {string} kind @param {number} durationMs */
  observeGc (kind, durationMs) {
    this.#metrics.gc.observe({ kind }, durationMs / MS_PER_S)
  }

  /** @param {string} reason @param {number} [count] */
  drop (reason, count = 1) {
    this.#metrics.dropped.inc({ reason }, count)
  }

  /**
   * @param {boolean} [openMetrics] with exemplars
   * @returns {Promise<string>}
   */
  async render (openMetrics = false) {
    this.#read()
    return openMetrics ? this.#openMetrics.metrics() : this.#text.metrics()
  }

  /** All metrics as plain JSON, exemplars included. */
  async snapshot () {
    this.#read()
    return snapshotOf(this.#text)
  }

  /** @param {boolean} openMetrics */
  contentType (openMetrics) {
    return openMetrics ? this.#openMetrics.contentType : this.#text.contentType
  }

  #read () {
    const { loop, cpuSeconds, degraded, shed, originTracking, profiling, inFlight, cluster, threads = () => new Map() } = this.#sources
    this.#metrics.originTracking.set(originTracking() ? 1 : 0)
    this.#metrics.profiling.set(profiling() ? 1 : 0)
    this.#metrics.inFlight.set(inFlight())
    const workers = threads()
    this.#readLoop(MAIN, { ...loop(), count: 1 })
    for (const [thread, state] of workers) this.#readLoop(thread, state)
    this.#metrics.rss.set(process.memoryUsage.rss())
    for (const [name, cpu] of [...Object.entries(cpuSeconds()), ...[...workers].map(([name, { cpu }]) => /** @type {const} */ ([name, cpu]))]) {
      if (cpu === null) continue
      this.#advance('cpu', { thread: name, mode: 'user' }, cpu.user)
      this.#advance('cpu', { thread: name, mode: 'system' }, cpu.system)
    }
    for (const [reason, count] of Object.entries(shed())) this.#advanceWrapping('shed', { reason }, count)
    for (const [reason, isDegraded] of degraded()) this.#metrics.degraded.set({ reason }, isDegraded ? 1 : 0)
    const { workers: states, restarts } = cluster() ?? { workers: {}, restarts: [] }
    for (const [state, count] of Object.entries(states)) this.#metrics.workers.set({ state }, count)
    for (const [worker, count] of restarts) this.#advance('workerRestarts', { worker: `${worker}` }, count)
  }

  /** @param {string} thread @param {{ activeMs: number, idleMs: number, heartbeatAgeMs: number, inProgressMs: number, count: number }} state */
  #readLoop (thread, { activeMs, idleMs, heartbeatAgeMs, inProgressMs, count }) {
    this.#advance('loopTime', { thread, state: 'active' }, activeMs / MS_PER_S)
    this.#advance('loopTime', { thread, state: 'idle' }, idleMs / MS_PER_S)
    const { heartbeatAge, inProgress, longest } = this.#metrics
    for (const [gauge, ms] of [[heartbeatAge, heartbeatAgeMs], [inProgress, inProgressMs], [longest, this.#longest.longest(thread)]]) {
      if (count > 0) gauge.set({ thread }, ms / MS_PER_S)
      else gauge.remove({ thread })
    }
  }

  /** Brings a counter up to a total that is counted elsewhere. @param {string} key @param {Record<string, string>} labels @param {number} total */
  #advance (key, labels, total) {
    const id = key + Object.values(labels).join('\n')
    const last = this.#totals.get(id) ?? (this.#sources.anew ? total : 0)
    this.#metrics[key].inc(labels, Math.max(0, total - last))
    this.#totals.set(id, Math.max(last, total))
  }

  /** The same for a total that wraps at 2^31. @param {string} key @param {Record<string, string>} labels @param {number} count */
  #advanceWrapping (key, labels, count) {
    const total = this.#totals.get(key + Object.values(labels).join('\n'))
    this.#advance(key, labels, total === undefined ? count >>> 0 : total + ((count - total) | 0))
  }
}

/** A function of the application by file and line, without the folders above. @param {import('../../store/record').FrameRecord} frame */
function siteOf ({ function: name, file, line, exact }) {
  return `${exact === false ? '≈ ' : ''}${name ?? '(anonymous)'} ${(file ?? '').split(/[\\/]/).slice(-2).join('/')}:${line}`
}

exports.Metrics = Metrics
