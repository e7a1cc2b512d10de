'use strict'

const { createHistogram } = require('node:perf_hooks')
const { nowMs } = require('../../util/clock')
const { residentBytes } = require('../../util/usage')
const { ascending, quantile } = require('../../util/statistics')
const { MS_PER_S, US_PER_MS } = require('../../util/units')
const { LoopLoad } = require('../shedding/loop-load')
const { heapOf } = require('./heap')
const { loopTime } = require('./loop-time')

/**
 * @import { Counters } from '../../bridge/counters'
 * @import { Bridge } from '../../bridge/memory'
 * @import { DelayCounts } from '../../bridge/delay-counts'
 */

/** Two figures resolve delays to 1%, in 25 kB; a third would take 190 kB. */
const HISTOGRAM = { lowest: 1, highest: 3600 * MS_PER_S * US_PER_MS, figures: 2 }

const nothing = () => ({ delayMs: { p50: 0, p99: 0, max: 0 }, utilization: 0 })

exports.noLoad = () => ({
  lastSecond: nothing(),
  sinceStart: nothing(),
  threadPoolDelayMs: 0,
  busyMs: 0,
  memory: { heapUsedBytes: 0, heapLimitBytes: 0, externalBytes: 0, rssBytes: 0 }
})

/** The report of agent.load(): delays and utilization, of the last second and since the start. */
class LoadReport {
  /** @type {{ atMs: number, delayMs: number }[]} of the last second, oldest first */
  #recent = []
  #histogram = tryCreateHistogram()
  #mostMs = 0
  #load
  #start = loopTime()

  #counters

  /**
   * @param {Pick<LoopLoad, 'overdueMs' | 'utilization'>} load @param {Pick<Counters, 'poolDelayMs' | 'get'>} counters
   */
  constructor (load, counters) {
    this.#load = load
    this.#counters = counters
  }

  /** @param {number} atMs monotonic @param {number} delayMs */
  record (atMs, delayMs) {
    this.#forget(atMs)
    this.#recent.push({ atMs, delayMs })
    this.#histogram?.record(Math.max(1, Math.round(delayMs * US_PER_MS)))
    this.#mostMs = Math.max(this.#mostMs, delayMs)
  }

  /** @param {number} now */
  #forget (now) {
    while (this.#recent.length > 0 && this.#recent[0].atMs < now - MS_PER_S) this.#recent.shift()
  }

  read () {
    const now = nowMs()
    this.#forget(now)
    const overdueMs = this.#load.overdueMs(now)
    const delays = this.#recent.map(({ delayMs }) => delayMs)
    const { idle, active } = loopTime()
    const activeMs = active - this.#start.active
    const { usedBytes, limitBytes, externalBytes } = heapOf()
    // After a long turn the loop handles requests before the timer that was due, which therefore counts already.
    if (overdueMs > 0) delays.push(overdueMs)
    return {
      lastSecond: { delayMs: quantilesOf(delays), utilization: this.#load.utilization(now) },
      sinceStart: { delayMs: this.#sinceStart(), utilization: activeMs / (activeMs + idle - this.#start.idle) || 0 },
      threadPoolDelayMs: this.#counters.poolDelayMs,
      busyMs: this.#counters.get('busyMs'),
      memory: {
        heapUsedBytes: usedBytes, heapLimitBytes: limitBytes, externalBytes, rssBytes: residentBytes() ?? 0
      }
    }
  }

  #sinceStart () {
    const quantileMs = (/** @type {number} */ percent) => {
      const micros = this.#histogram !== null && this.#mostMs > 0 ? this.#histogram.percentile(percent) : 0
      return Math.min(micros / US_PER_MS, this.#mostMs)
    }
    return { p50: quantileMs(50), p99: quantileMs(99), max: this.#mostMs }
  }
}

/** Null if an application has added a `get` to every object, which Node.js 20 takes for an option. */
function tryCreateHistogram () {
  try {
    return createHistogram(HISTOGRAM)
  } catch {
    return null
  }
}

/** @param {number[]} values */
function quantilesOf (values) {
  const sorted = ascending(values)
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), max: quantile(sorted, 1) }
}

/** @param {{ calmPeriod: number }} options ms @param {Pick<Bridge, 'delays' | 'counters'>} bridge */
exports.measureLoad = (options, bridge) => {
  const load = new LoopLoad()
  const report = new LoadReport(load, bridge.counters)
  return { load, report, delays: new Delays(options, bridge.delays, report) }
}

/** Counts how late heartbeats come. monitorEventLoopDelay() of Node.js would wake a sleeping process with its timer. */
class Delays {
  #counts
  #report
  #periodMs
  /** @type {number | null} */
  #dueAtMs = null

  /**
   * @param {{ calmPeriod: number }} options ms @param {Pick<DelayCounts, 'record'>} counts
   * @param {Pick<LoadReport, 'record'>} [report]
   */
  constructor ({ calmPeriod }, counts, report) {
    this.#periodMs = calmPeriod
    this.#counts = counts
    this.#report = report
  }

  /**
   * Counts one delay in each calm period. Busy times, which beat faster, would otherwise outweigh the others.
   * @param {number} atMs monotonic @param {number} lateMs may be below 0, as timers are of whole milliseconds
   */
  beat (atMs, lateMs) {
    // Nobody waits during the application's startup, before its first turn.
    this.#dueAtMs ??= atMs + this.#periodMs
    if (atMs < this.#dueAtMs) return
    this.#dueAtMs = Math.max(this.#dueAtMs, atMs - this.#periodMs) + this.#periodMs
    const delayMs = Math.max(0, lateMs)
    this.#counts.record(delayMs)
    this.#report?.record(atMs, delayMs)
  }
}

exports.LoadReport = LoadReport
exports.Delays = Delays
