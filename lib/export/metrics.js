'use strict'

const { Registry, Counter, Gauge, Histogram } = require('./prom-client')
const { table, SITES } = require('../catalogue')
const { DelayHistogram } = require('./delay-histogram')
const { snapshotOf } = require('./exposition')
const { LabelBound } = require('./label-bound')

const MS_PER_S = 1000
const classes = { counter: Counter, gauge: Gauge, histogram: Histogram }

/**
 * @typedef {object} Sources what is read at each scrape
 * @property {() => { activeMs: number, idleMs: number, heartbeatAgeMs: number, inProgressMs: number }} loop
 * @property {() => Record<string, { user: number, system: number } | null>} cpuSeconds by thread
 * @property {() => Iterable<[string, boolean]>} degraded by reason
 * @property {() => { workers: Record<string, number>, restarts: Map<number, number> } | null} cluster workers by state, restarts by slot
 * @property {import('node:perf_hooks').IntervalHistogram} histogram
 * @property {number} periodMs of the histogram's timer
 * @property {number} thresholdMs
 * @property {number} routes
 * @property {Record<string, string>} labels
 * @property {string} version
 */

/** The metrics of the catalogue, filled from what the watchdog tells and from its sources. */
class Metrics {
  /** Exemplars need a registry that is OpenMetrics from the start; the text format reads through it. */
  #openMetrics = new Registry()
  #text = new Registry()
  /** @type {Record<string, any>} */
  #metrics = {}
  #sources
  #routes
  #sites
  /** @type {Map<string, number>} counters that are read, not counted, and their last value */
  #totals = new Map()

  /** @param {Sources} sources */
  constructor (sources) {
    this.#sources = sources
    this.#openMetrics.setContentType(/** @type {any} */ (Registry.OPENMETRICS_CONTENT_TYPE))
    for (const row of table) this.#metrics[row.key] = this.#create(row)
    this.#openMetrics.setDefaultLabels(sources.labels)
    this.#text.setDefaultLabels(sources.labels)
    this.#routes = new LabelBound(sources.routes, () => this.#metrics.overflow.inc({ label: 'route' }))
    this.#sites = new LabelBound(SITES, () => this.#metrics.overflow.inc({ label: 'site' }))
    this.#metrics.buildInfo.set({ version: sources.version, node_version: process.versions.node }, 1)
    this.#metrics.threshold.set(sources.thresholdMs / MS_PER_S)
  }

  /** @param {(typeof table)[number]} row */
  #create ({ key, name, type, help, labels, buckets }) {
    if (key === 'delay') {
      const { histogram, periodMs } = this.#sources
      const metric = new DelayHistogram({ name, help, buckets: /** @type {number[]} */ (buckets), histogram, periodMs })
      for (const registry of [this.#openMetrics, this.#text]) registry.registerMetric(/** @type {any} */ (metric))
      return metric
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

  /** @param {import('../store/record').BlockRecord} record of a finished block */
  observeBlock ({ id, thread, cause, durationMs, request, frame }) {
    const seconds = durationMs / MS_PER_S
    this.#metrics.blockDuration.observe({ labels: { thread, cause }, value: seconds, exemplarLabels: { block_id: id } })
    this.#metrics.blocked.inc({ cause, route: request ? this.#routes.bound(request.route) : '(none)' }, seconds)
    if (frame) this.#metrics.site.inc({ site: this.#sites.bound(siteOf(frame)) }, seconds)
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
    const { loop, cpuSeconds, degraded, cluster } = this.#sources
    const { activeMs, idleMs, heartbeatAgeMs, inProgressMs } = loop()
    const thread = 'main'
    this.#advance('loopTime', { thread, state: 'active' }, activeMs / MS_PER_S)
    this.#advance('loopTime', { thread, state: 'idle' }, idleMs / MS_PER_S)
    this.#metrics.heartbeatAge.set({ thread }, heartbeatAgeMs / MS_PER_S)
    this.#metrics.inProgress.set({ thread }, inProgressMs / MS_PER_S)
    this.#metrics.rss.set(process.memoryUsage.rss())
    for (const [name, cpu] of Object.entries(cpuSeconds())) {
      if (cpu === null) continue
      this.#advance('cpu', { thread: name, mode: 'user' }, cpu.user)
      this.#advance('cpu', { thread: name, mode: 'system' }, cpu.system)
    }
    for (const [reason, isDegraded] of degraded()) this.#metrics.degraded.set({ reason }, isDegraded ? 1 : 0)
    const { workers, restarts } = cluster() ?? { workers: {}, restarts: [] }
    for (const [state, count] of Object.entries(workers)) this.#metrics.workers.set({ state }, count)
    for (const [worker, count] of restarts) this.#advance('workerRestarts', { worker: `${worker}` }, count)
  }

  /** Brings a counter up to a total that is counted elsewhere. @param {string} key @param {Record<string, string>} labels @param {number} total */
  #advance (key, labels, total) {
    const id = key + Object.values(labels).join('\n')
    const last = this.#totals.get(id) ?? 0
    this.#metrics[key].inc(labels, Math.max(0, total - last))
    this.#totals.set(id, Math.max(last, total))
  }
}

/** A function of the application by file and line, without the folders above. @param {import('../store/record').FrameRecord} frame */
function siteOf ({ function: name, file, line }) {
  return `${name ?? '(anonymous)'} ${(file ?? '').split(/[\\/]/).slice(-2).join('/')}:${line}`
}

exports.Metrics = Metrics
