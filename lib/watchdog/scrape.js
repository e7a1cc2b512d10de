'use strict'

const { RequestStats, WorkStats } = require('./requests/stats')
const { UsualDurations } = require('./requests/usual-durations')
const { renderFamilies } = require('../export/prometheus/exposition')
const { Metrics } = require('../export/prometheus/metrics')
const { version } = require('../../package.json')

/**
 * @import { Cluster } from '../cluster/cluster'
 * @import { Bridge } from '../bridge/memory'
 * @import { Health } from './health'
 * @import { Stats } from './kernel/thread-stats'
 * @import { MainLoop } from './main-loop'
 * @import { PageFeed } from './page-feed/feed'
 * @import { WatchedThreads } from './threads/threads'
 * @import { WorkerData } from './watchdog'
 */

/** The metrics at a scrape: up to date, and of the whole cluster if this process leads one. */
class Scrape {
  #bridge
  #mainLoop
  #cluster
  #timeline
  #requests
  #works
  /** Requests and named works that have ended. */
  finished = 0
  usual = new UsualDurations()

  /**
   * @param {object} parts @param {WorkerData} parts.data @param {Bridge} parts.bridge
   * @param {Health} parts.health @param {Stats} parts.stats
   * @param {MainLoop} parts.mainLoop @param {WatchedThreads | null} parts.threads
   * @param {Cluster} parts.cluster @param {PageFeed} parts.page whose history counts requests
   */
  constructor ({ data: { options, starts, role }, bridge, health, stats, mainLoop, threads, cluster, page }) {
    this.#bridge = bridge
    this.#mainLoop = mainLoop
    this.#cluster = cluster
    const { counters } = bridge
    const metrics = this.metrics = new Metrics({
      loop: () => mainLoop.monitor.state,
      cpuSeconds: () => ({ main: stats.host.cpuSeconds(), watchdog: stats.own.cpuSeconds() }),
      threads: () => threads?.states() ?? new Map(),
      degraded: () => health.entries(),
      inFlight: () => counters.get('inFlight'),
      workInFlight: () => counters.get('workInFlight'),
      heap: () => bridge.heap.read(),
      originTracking: () => mainLoop.origins.isTracking,
      profiling: () => mainLoop.profiling.isOn,
      shed: () => ({ delay: counters.get('shedDelay'), utilization: counters.get('shedUtilization') }),
      cluster: () => cluster.state,
      delays: bridge.delays,
      waits: () => bridge.waits.read(bridge.peers),
      thresholdMs: options.threshold,
      routes: options.routes,
      labels: options.labels,
      version,
      // The primary adds up the lives of a worker's watchdog.
      countsFromNow: starts > 0 && role.kind === 'worker'
    })
    const { recent, history, timeline } = page
    this.#timeline = timeline
    this.#requests = new RequestStats(bridge, metrics, recent, (packed, startMs, durationMs, blockedMs) => {
      this.finished++
      history.addRequest(durationMs)
      timeline.request(packed, startMs, durationMs, blockedMs)
    }, this.usual)
    this.#works = new WorkStats(bridge, metrics, recent, (packed, startMs, durationMs, blockedMs) => {
      this.finished++
      timeline.work(packed, startMs, durationMs, blockedMs)
    }, this.usual)
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
