'use strict'

const { RequestStats, WorkStats } = require('./requests/stats')
const { renderFamilies } = require('../export/prometheus/exposition')
const { Metrics } = require('../export/prometheus/metrics')
const { version } = require('../../package.json')

/**
 * @import { Cluster } from '../cluster/cluster'
 * @import { LoopParts, MainLoop } from './main-loop'
 * @import { PageFeed } from './page-feed/feed'
 * @import { WatchedThreads } from './threads/threads'
 */

/**
 * @typedef {object} More
 * @property {MainLoop} mainLoop @property {Cluster} cluster
 * @property {WatchedThreads | null} threads
 * @property {PageFeed} page whose history counts requests
 * @typedef {LoopParts & More} Parts
 */

/** The metrics of this process, and what they read at each scrape. @param {Parts} parts */
const makeMetrics = ({ data, bridge, health, stats, mainLoop, threads, cluster }) => new Metrics({
  loop: () => mainLoop.monitor.state,
  cpuSeconds: () => ({ main: stats.host.cpuSeconds(), watchdog: stats.own.cpuSeconds() }),
  threads: () => threads?.states() ?? new Map(),
  degraded: () => health.entries(),
  inFlight: () => bridge.counters.get('inFlight'),
  workInFlight: () => bridge.counters.get('workInFlight'),
  heap: () => bridge.heap.read(),
  originTracking: () => mainLoop.origins.isTracking,
  profiling: () => mainLoop.profiling.isOn,
  shed: () => ({ delay: bridge.counters.get('shedDelay'), utilization: bridge.counters.get('shedUtilization') }),
  cluster: () => cluster.state,
  delays: bridge.delays,
  thresholdMs: data.options.threshold,
  routes: data.options.routes,
  labels: data.options.labels,
  version,
  // The primary adds up the lives of a worker's watchdog.
  countsFromNow: data.starts > 0 && data.role.kind === 'worker'
})

/** The metrics at a scrape: up to date, and of the whole cluster if this process leads one. */
class Scrape {
  #bridge
  #mainLoop
  #cluster
  #timeline
  #requests
  #works

  /** @param {Parts} parts */
  constructor (parts) {
    const { bridge, mainLoop, cluster, page } = parts
    this.#bridge = bridge
    this.#mainLoop = mainLoop
    this.#cluster = cluster
    this.metrics = makeMetrics(parts)
    /** Requests and named works that have ended. */
    this.finished = 0
    this.blocks = page.recent
    const timeline = this.#timeline = page.timeline
    this.#requests = new RequestStats(bridge, this.metrics, this.blocks, (packed, startMs, durationMs, blockedMs) => {
      this.finished++
      page.history.addRequest(durationMs)
      timeline.request(packed, startMs, durationMs, blockedMs)
    })
    this.#works = new WorkStats(bridge, this.metrics, this.blocks, (packed, startMs, durationMs, blockedMs) => {
      this.finished++
      timeline.work(packed, startMs, durationMs, blockedMs)
    })
  }

  drainGc () {
    this.#mainLoop.gcPauses.drain(this.metrics, this.#timeline)
  }

  /** Whether so many requests, or so much work, wait to be counted that further ones may soon not fit. */
  get isFilling () {
    const { requests, works } = this.#bridge
    return requests.isFilling || works.isFilling
  }

  /** Counts requests and work that ended by the beat up to which all blocks are known. @param {number} [untilMs] */
  drainWork (untilMs = this.#mainLoop.monitor.completeToMs) {
    this.#requests.drain(untilMs)
    this.#works.drain(untilMs)
  }

  #refresh () {
    this.drainGc()
    this.drainWork()
    return this.metrics
  }

  /** @param {boolean} openMetrics */
  contentType (openMetrics) {
    return this.metrics.contentType(openMetrics)
  }

  /** @param {boolean} [openMetrics] */
  async render (openMetrics = false) {
    const union = await this.#cluster.union()
    return union === null ? this.#refresh().render(openMetrics) : renderFamilies(union, openMetrics)
  }

  /** The metrics of this process alone. */
  snapshot () {
    return this.#refresh().snapshot()
  }
}

exports.Scrape = Scrape
