/// <reference path="./prom-client.d.ts" />
'use strict'

// Each class is loaded from its own file. The package's index also loads default metrics, a push gateway and
// @opentelemetry/api: 30 ms of CPU instead of 3 and 1.9 MB more of heap, at the start of every process. The watchdog
// cannot poll the loop meanwhile.
const Counter = require('prom-client/lib/counter')
const Gauge = require('prom-client/lib/gauge')
const Histogram = require('prom-client/lib/histogram')
const Registry = require('prom-client/lib/registry')
const { table, SITES, SLOW_KINDS, THREADS } = require('../../tables/metrics')
const { isExcused, ownMsOf, timesOf } = require('../../tables/causes')
const { ReadHistogram, SeriesHistogram } = require('./histograms')
const { familiesOf, renderFamilies } = require('./exposition')
const { OTHER } = require('../../tables/limits')
const { residentBytes } = require('../../util/usage')
const { doubtOf, shortPath } = require('../../util/place-text')
const { MS_PER_S } = require('../../util/units')
const { nowMs: sharedNowMs } = require('../../util/clock')

/** @import { BlockRecord, FrameRecord, HeapReading, Metric, SlowIncident, Value } from '../../types' */
/** @import { WorkShare } from '../../types' */
/** @import { Counted, Read } from './histograms' */
/** @import { OpenMetricsContentType } from 'prom-client' */

/** Scrapes come at least this often, so `max_over_time` of any range misses no block. */
const WINDOW_MS = 60_000
const MAIN = 'main'
/** Histograms with an observation for each request or piece of work. */
const OWN_HISTOGRAMS = new Set(['requestDuration', 'requestBlocked', 'workDuration', 'workBlocked'])
const NONE = '(none)'
/** The label `cause` of any block within agent.allow(). */
const ALLOWED = 'allowed'
const classes = { counter: Counter, gauge: Gauge, histogram: Histogram }

/**
 * @typedef {{ activeMs: number, idleMs: number, heartbeatAgeMs: number, inProgressMs: number }} LoopState of a thread
 * @typedef {{ user: number, system: number }} CpuSeconds
 * @typedef {import('prom-client').Registry<OpenMetricsContentType>} OpenMetricsRegistry
 * @typedef {object} Sources what is read at each scrape
 * @property {() => LoopState} loop
 * @property {() => Record<string, CpuSeconds | null>} cpuSeconds by thread
 * @property {() => Map<string, LoopState & { cpu: CpuSeconds, count: number }>} [threads] by label; `count`: live ones
 * @property {() => Iterable<[string, boolean]>} degraded by reason
 * @property {() => number} inFlight requests @property {() => number} workInFlight named work without requests
 * @property {() => HeapReading | null} heap null until the host has reported it
 * @property {() => boolean} originTracking @property {() => boolean} profiling
 * @property {() => Record<string, number>} shed requests by reason, Int32 that wrap
 * @property {() => { workers: Record<string, number>, restarts: Map<number, number> } | null} cluster
 * workers by state, restarts by slot
 * @property {{ read: (boundsMs: number[]) => Counted }} delays lib/bridge/delay-counts.js
 * @property {() => (Counted & { peer: string, open: number })[]} waits by peer; bounds are those of the table
 * @property {number} thresholdMs @property {number} routes
 * @property {Record<string, string>} labels @property {string} version
 * @property {() => number} [nowMs] by default the clock of all threads
 * @property {boolean} [countsFromNow] count from the first reading on, since an earlier watchdog's counts are added
 */

class Metrics {
  /** Keeps the metrics. exposition.js prints them. */
  #registry = /** @type {OpenMetricsRegistry} */ (/** @type {unknown} */ (new Registry()))
  /** @type {Record<string, any>} */
  #metrics = {}
  #sources
  #bounds
  #longest
  /** @type {Map<string, number>} last values of counters that are read, not counted here */
  #totals = new Map()

  /** @param {Sources} sources */
  constructor (sources) {
    this.#sources = sources
    // prom-client accepts exemplars only in an OpenMetrics registry.
    this.#registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
    this.#registry.setDefaultLabels(sources.labels)
    for (const row of table) this.#metrics[row.key] = this.#create(row)
    this.#bounds = {
      route: new LabelBound(sources.routes),
      work: new LabelBound(sources.routes),
      site: new LabelBound(SITES),
      thread: new LabelBound(THREADS)
    }
    this.#longest = new RecentLongest(sources.nowMs)
    this.#metrics.buildInfo.set({ version: sources.version, node_version: process.versions.node }, 1)
    this.#metrics.threshold.set(sources.thresholdMs / MS_PER_S)
    // If a counter comes with its first incident, increase() does not see that one.
    for (const kind of SLOW_KINDS) this.#metrics.slow.inc({ kind }, 0)
    for (const exact of ['true', 'false']) this.#metrics.newSites.inc({ exact }, 0)
  }

  /** @param {(typeof table)[number]} row */
  #create ({ key, name, type, help, labels, buckets = [] }) {
    const { delays, waits, countsFromNow, thresholdMs } = this.#sources
    /** @type {Read} */
    const readDelays = (boundsMs) => [[{ thread: MAIN }, delays.read(boundsMs)]]
    /** @type {Read} */
    const readWaits = () => waits().map(({ peer, ...counted }) => [{ peer }, counted])
    const read = key === 'delay' ? readDelays : key === 'wait' ? readWaits : null
    if (read !== null) return this.#register(new ReadHistogram({ name, help, buckets, read, countsFromNow }))
    if (OWN_HISTOGRAMS.has(key)) return this.#register(new SeriesHistogram({ name, help, buckets }))
    const Metric = /** @type {any} */ (classes)[type]
    const isBlock = key === 'blockDuration'
    const thresholdS = thresholdMs / MS_PER_S
    return new Metric({
      name,
      help,
      labelNames: labels,
      registers: [this.#registry],
      enableExemplars: isBlock,
      ...(type === 'histogram' && {
        buckets: isBlock ? [thresholdS, ...buckets.filter((bound) => bound > thresholdS)] : buckets
      })
    })
  }

  /** @param {SeriesHistogram | ReadHistogram} histogram */
  #register (histogram) {
    this.#registry.registerMetric(/** @type {any} */ (histogram))
    return histogram
  }

  /** @param {string} route label @param {string} method @param {string} statusClass */
  requestSeries (route, method, statusClass) {
    this.#bounds.route.count(route)
    return this.#metrics.requestDuration.series({ method, route, status_class: statusClass })
  }

  /** @param {string} route label */
  requestBlockedSeries (route) {
    return this.#metrics.requestBlocked.series({ route })
  }

  /** @param {string} work label @param {string} kind */
  workSeries (work, kind) {
    this.#bounds.work.count(work)
    const labels = { work, kind }
    const { workDuration, workBlocked } = this.#metrics
    return { duration: workDuration.series(labels), blocked: workBlocked.series(labels) }
  }

  /** Counts an observation that went to `(other)`. @param {string} label */
  overflowed (label) {
    this.#metrics.overflow.inc({ label })
  }

  /** @param {BlockRecord} record of a finished block */
  observeBlock (record) {
    const { id, thread, cause, allowed, durationMs } = record
    const label = this.threadLabel(thread)
    const labels = { thread: label, cause: allowed ? ALLOWED : cause }
    this.#metrics.blockDuration.observe({ labels, value: durationMs / MS_PER_S, exemplarLabels: { block_id: id } })
    this.#longest.add(label, durationMs)
    // A worker thread's block delays no request of the main thread.
    if (thread !== MAIN) return
    const works = record.works ?? [{ ...record, weightMs: 1 }]
    const weightMs = works.reduce((sum, each) => sum + each.weightMs, 0)
    for (const each of works) this.#charge(each, record, each.weightMs / weightMs)
  }

  /** @param {WorkShare} work with a share of a block @param {BlockRecord} record @param {number} share */
  #charge ({ request, work, frame }, record, share) {
    const isRequest = work?.kind === 'request'
    const labels = {
      route: request && !request.ended ? this.#bounded('route', doubtOf(request) + request.route) : NONE,
      work: work && !work.ended && !isRequest ? this.#bounded('work', doubtOf(work) + work.name) : NONE
    }
    /** @type {[string, number][]} */
    const times = record.allowed ? [[ALLOWED, record.durationMs]] : timesOf(record)
    for (const [cause, ms] of times) if (ms > 0) this.#metrics.blocked.inc({ cause, ...labels }, ms / MS_PER_S * share)
    if (frame && !record.allowed && !isExcused(record)) {
      const site = this.#bounded('site', siteOf(frame))
      this.#metrics.site.inc({ site }, ownMsOf(record) / MS_PER_S * share)
    }
  }

  /** Counts a function that blocks since the running version of the application. @param {boolean} exact */
  newSite (exact) {
    this.#metrics.newSites.inc({ exact: `${exact}` })
  }

  /** Counts time for which the agent itself blocked the application. @param {number} ms */
  addOwnBlockedMs (ms) {
    this.#metrics.ownBlocked.inc(ms / MS_PER_S)
  }

  /** @param {SlowIncident['kind']} kind @param {number} delayMs that a piece of work waited */
  observePoolDelay (kind, delayMs) {
    this.#metrics.poolDelay.observe({ kind }, delayMs / MS_PER_S)
  }

  /** Counts slowness without a block. @param {SlowIncident['kind']} kind */
  slowIncident (kind) {
    this.#metrics.slow.inc({ kind })
  }

  /** @param {'route' | 'work' | 'site' | 'thread'} label @param {string} value */
  #bounded (label, value) {
    const bounded = this.#bounds[label].bound(value)
    if (bounded === OTHER) this.overflowed(label)
    return bounded
  }

  /** @param {string} name */
  threadLabel (name) {
    return name === MAIN ? name : this.#bounded('thread', name)
  }

  /** @param {string} kind @param {number} durationMs */
  observeGc (kind, durationMs) {
    this.#metrics.gc.observe({ kind }, durationMs / MS_PER_S)
  }

  /** Counts an earlier process that ended in a block, as the folder `dir` shows. */
  predecessorEnded () {
    this.#metrics.endedInBlock.inc()
  }

  /** @param {string} reason @param {number} [count] */
  drop (reason, count = 1) {
    this.#metrics.dropped.inc({ reason }, count)
  }

  /** @param {boolean} [openMetrics] with exemplars */
  async render (openMetrics = false) {
    return renderFamilies(familiesOf(await this.snapshot()), openMetrics)
  }

  /** All metrics as plain JSON, exemplars included. @returns {Promise<Metric[]>} */
  async snapshot () {
    this.#read()
    const metrics = /** @type {any[]} */ (await this.#registry.getMetricsAsJSON())
    // prom-client's metrics return the objects in which they count.
    const copyOf = (/** @type {Value} */ { labels, value, metricName, exemplar }) =>
      ({ labels, value, metricName, exemplar })
    return metrics.map(({ name, help, type, values }) => ({ name, help, type, values: values.map(copyOf) }))
  }

  /** @param {boolean} openMetrics */
  contentType (openMetrics) {
    return openMetrics ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE
  }

  /** Reads all sources at once, so that a scrape is of one moment. */
  #read () {
    const { loop, cpuSeconds, threads = () => new Map(), ...sources } = this.#sources
    const heap = sources.heap()
    const gauges = {
      originTracking: sources.originTracking(),
      profiling: sources.profiling(),
      inFlight: sources.inFlight(),
      workInFlight: sources.workInFlight(),
      heapUsed: heap?.usedBytes,
      heapLimit: heap?.limitBytes,
      external: heap?.externalBytes,
      rss: residentBytes() ?? undefined
    }
    for (const [key, value] of Object.entries(gauges)) if (value !== undefined) this.#metrics[key].set(Number(value))
    const workers = threads()
    this.#readLoop(MAIN, { ...loop(), count: 1 })
    for (const [thread, state] of workers) this.#readLoop(thread, state)
    for (const [thread, cpu] of Object.entries(cpuSeconds())) this.#readCpu(thread, cpu)
    for (const [thread, { cpu }] of workers) this.#readCpu(thread, cpu)
    for (const { peer, open } of sources.waits()) this.#metrics.waiting.set({ peer }, open)
    for (const [reason, count] of Object.entries(sources.shed())) this.#advanceWrapping('shed', { reason }, count)
    for (const [reason, isDegraded] of sources.degraded()) this.#metrics.degraded.set({ reason }, Number(isDegraded))
    const { workers: joined, restarts } = sources.cluster() ?? { workers: {}, restarts: [] }
    for (const [state, count] of Object.entries(joined)) this.#metrics.workers.set({ state }, count)
    for (const [worker, count] of restarts) this.#advance('workerRestarts', { worker: `${worker}` }, count)
  }

  /** @param {string} thread @param {CpuSeconds | null} cpu */
  #readCpu (thread, cpu) {
    if (cpu === null) return
    this.#advance('cpu', { thread, mode: 'user' }, cpu.user)
    this.#advance('cpu', { thread, mode: 'system' }, cpu.system)
  }

  /** @param {string} thread @param {LoopState & { count: number }} state */
  #readLoop (thread, { activeMs, idleMs, heartbeatAgeMs, inProgressMs, count }) {
    this.#advance('loopTime', { thread, state: 'active' }, activeMs / MS_PER_S)
    this.#advance('loopTime', { thread, state: 'idle' }, idleMs / MS_PER_S)
    const { heartbeatAge, inProgress, longest } = this.#metrics
    const longestMs = this.#longest.longest(thread)
    for (const [gauge, ms] of [[heartbeatAge, heartbeatAgeMs], [inProgress, inProgressMs], [longest, longestMs]]) {
      if (count > 0) gauge.set({ thread }, ms / MS_PER_S)
      else gauge.remove({ thread })
    }
  }

  /** @param {string} key @param {Record<string, string>} labels @param {number} total */
  #advance (key, labels, total) {
    const id = key + Object.values(labels).join('\n')
    const last = this.#totals.get(id) ?? (this.#sources.countsFromNow ? total : 0)
    this.#metrics[key].inc(labels, Math.max(0, total - last))
    this.#totals.set(id, Math.max(last, total))
  }

  /** For totals that wrap at 2^31. @param {string} key @param {Record<string, string>} labels @param {number} count */
  #advanceWrapping (key, labels, count) {
    const total = this.#totals.get(key + Object.values(labels).join('\n'))
    this.#advance(key, labels, total === undefined ? count >>> 0 : total + ((count - total) | 0))
  }
}

/** The label of a function, whatever its line. Only one without a name has a line. @param {FrameRecord} frame */
const siteOf = ({ function: name, file, line }) =>
  name === null ? `(anonymous) ${shortPath(file)}:${line}` : `${name} ${shortPath(file)}`.trimEnd()

/** Bounds the values of a label: later ones become `(other)`. Kept values stay, so counters never decrease. */
class LabelBound {
  /** Values of counted requests or work, which the host limits. @type {Set<string>} */
  #counted = new Set()
  /** Values of blocks alone. @type {Set<string>} */
  #others = new Set()
  #most

  /** @param {number} most */
  constructor (most) {
    this.#most = most
  }

  /** @param {string} value */
  count (value) {
    this.#counted.add(value)
  }

  /** @param {string} value */
  bound (value) {
    if (this.#counted.has(value) || this.#others.has(value)) return value
    if (this.#others.size >= this.#most) return OTHER
    this.#others.add(value)
    return value
  }
}

/** The longest value of the last minute, by key. Reading does not reset it, so two scrapers see the same. */
class RecentLongest {
  /**
   * Values by key, each smaller than the one before. A new value outlives earlier ones, so it removes those that are
   * not larger. @type {Map<string, { atMs: number, value: number }[]>}
   */
  #falling = new Map()
  #nowMs

  /** @param {() => number} [nowMs] */
  constructor (nowMs = sharedNowMs) {
    this.#nowMs = nowMs
  }

  /** @param {string} key @param {number} value */
  add (key, value) {
    const kept = this.#current(key).filter((each) => each.value > value)
    this.#falling.set(key, [...kept, { atMs: this.#nowMs(), value }])
  }

  /** @param {string} key @returns {number} 0 if the last minute had none */
  longest (key) {
    return this.#current(key)[0]?.value ?? 0
  }

  /** @param {string} key */
  #current (key) {
    const endMs = this.#nowMs() - WINDOW_MS
    return (this.#falling.get(key) ?? []).filter(({ atMs }) => atMs > endMs)
  }
}

exports.Metrics = Metrics
