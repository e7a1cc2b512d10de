'use strict'

const { ABORTED, statusOf, unpack, unpackWork } = require('../../bridge/request-row')
const { OTHER } = require('../../tables/limits')
const { MS_PER_S } = require('../../util/units')
const { UsualDurations } = require('./usual-durations')

/**
 * @import { Bridge } from '../../bridge/memory'
 * @import { Metrics } from '../../export/prometheus/metrics'
 * @import { RecentBlocks } from './recent-blocks'
 * @import { Usual } from './usual-durations'
 */

/**
 * @typedef {{ observe: (value: number) => void }} Series
 * @typedef {{ duration: Series, blocked: Series, usual: Usual, isOther: boolean }} CommonSeries
 * @typedef {CommonSeries & { name: string, route: string }} RouteSeries
 * @typedef {CommonSeries & { hasThread: boolean }} WorkSeries
 * @typedef {(packed: number, startMs: number, durationMs: number, blockedMs: number) => void} OnEnd
 */

/** @template {Partial<Bridge>} B its rings @template M @template S series by the packed number */
class FinishedStats {
  /** @type {Map<number, S>} */
  series = new Map()

  /**
   * @param {B} bridge @param {M} metrics @param {RecentBlocks} blocks @param {OnEnd} [onEnd]
   * @param {UsualDurations} [usual]
   */
  constructor (bridge, metrics, blocks, onEnd = () => {}, usual = new UsualDurations()) {
    this.usual = usual
    this.bridge = bridge
    this.metrics = metrics
    this.blocks = blocks
    this.onEnd = onEnd
  }
}

/**
 * Counts finished requests: how long they took, and how long other code blocked the loop while they waited and ran.
 * @extends {FinishedStats<Pick<Bridge, 'requests' | 'routes'>, Metrics, RouteSeries>}
 */
class RequestStats extends FinishedStats {
  #lastKey = -1
  /** @type {RouteSeries | null} */
  #last = null

  /** Counts the requests that ended by the beat up to which all blocks are known. @param {number} untilMs */
  drain (untilMs) {
    this.bridge.requests.visit((numbers, at) => {
      const startMs = Math.abs(numbers[at + 1])
      const hasWaited = numbers[at + 1] < 0
      const durationMs = numbers[at + 2]
      const requestId = numbers[at + 3]
      if (startMs + durationMs > untilMs) return false
      const series = this.#seriesOf(numbers[at])
      series.duration.observe(durationMs / MS_PER_S)
      series.usual.latestMs = Math.max(series.usual.latestMs, durationMs)
      const waitedMs = this.blocks.waitedMs(startMs, requestId, hasWaited)
      const blockedMs = waitedMs + this.blocks.blockedMs(startMs, startMs + durationMs, requestId)
      series.blocked.observe(blockedMs / MS_PER_S)
      const { name, route } = series
      this.blocks.note({ startMs, endMs: startMs + durationMs, id: requestId, hasWaited, name, route })
      this.onEnd(numbers[at], startMs, durationMs, blockedMs)
      if (series.isOther) this.metrics.overflowed('route')
      return true
    })
  }

  /** @param {number} packed */
  #seriesOf (packed) {
    const status = statusOf(packed)
    const key = packed - status + Math.floor(status / 100)
    // This runs for each request, and requests of one kind often follow each other.
    if (key !== this.#lastKey) {
      this.#last = this.series.get(key) ?? this.#makeSeries(key, packed)
      this.#lastKey = key
    }
    return /** @type {RouteSeries} */ (this.#last)
  }

  /** @param {number} key @param {number} packed */
  #makeSeries (key, packed) {
    const { route, method, status } = unpack(packed)
    const label = this.bridge.routes.stringOf(route) ?? OTHER
    const statusClass = status === ABORTED ? 'aborted' : `${Math.floor(status / 100)}xx`
    const series = {
      duration: this.metrics.requestSeries(label, method, statusClass),
      blocked: this.metrics.requestBlockedSeries(label),
      usual: this.usual.add(`${method} ${label}`),
      isOther: label === OTHER,
      name: `${method} ${label}`,
      route: label
    }
    this.series.set(key, series)
    return series
  }
}

/**
 * Counts finished work other than HTTP requests: how long it took, and how long other code blocked the loop.
 * @extends {FinishedStats<Pick<Bridge, 'works' | 'workNames'>, Pick<Metrics, 'workSeries' | 'overflowed'>, WorkSeries>}
 */
class WorkStats extends FinishedStats {
  /** Counts the work that ended by the beat up to which all blocks are known. @param {number} untilMs */
  drain (untilMs) {
    this.bridge.works.visit((numbers, at) => {
      const startMs = numbers[at + 1]
      const endMs = startMs + numbers[at + 2]
      if (endMs > untilMs) return false
      const series = this.series.get(numbers[at]) ?? this.#makeSeries(numbers[at])
      const { duration, blocked, usual, isOther, hasThread } = series
      duration.observe(numbers[at + 2] / MS_PER_S)
      usual.latestMs = Math.max(usual.latestMs, numbers[at + 2])
      // Work in a thread of its own does not wait for the main thread's loop.
      const blockedMs = hasThread ? 0 : this.blocks.blockedMs(startMs, endMs, numbers[at + 3])
      if (!hasThread) blocked.observe(blockedMs / MS_PER_S)
      this.onEnd(numbers[at], startMs, numbers[at + 2], blockedMs)
      if (isOther) this.metrics.overflowed('work')
      return true
    })
  }

  /** @param {number} packed */
  #makeSeries (packed) {
    const { name, kind, hasThread } = unpackWork(packed)
    const work = this.bridge.workNames.stringOf(name) ?? OTHER
    const usual = this.usual.add(`${kind} ${work}`)
    const series = { ...this.metrics.workSeries(work, kind), usual, isOther: work === OTHER, hasThread }
    this.series.set(packed, series)
    return series
  }
}

exports.RequestStats = RequestStats
exports.WorkStats = WorkStats
