'use strict'

const { unpackWork } = require('../../bridge/request-row')
const { OTHER } = require('../../util/overflow-label')
const { MS_PER_S } = require('../../util/units')

/**
 * @import { Bridge } from '../../bridge/memory'
 * @import { Metrics } from '../../export/prometheus/metrics'
 * @import { RecentBlocks } from './recent-blocks'
 * @import { OnEnd } from './stats'
 */

/** @typedef {{ observe: (value: number) => void }} Series */
/** @typedef {{ duration: Series, blocked: Series, isOther: boolean, hasThread: boolean }} WorkSeries */

/** Counts finished work other than HTTP requests: how long it took, and how long other code blocked the loop. */
class WorkStats {
  #bridge
  #metrics
  #blocks
  /** @type {Map<number, WorkSeries>} by the packed number */
  #series = new Map()
  #onWork

  /**
   * @param {Pick<Bridge, 'works' | 'workNames'>} bridge
   * @param {Pick<Metrics, 'workSeries' | 'overflowed'>} metrics
   * @param {RecentBlocks} blocks @param {OnEnd} [onWork]
   */
  constructor (bridge, metrics, blocks, onWork = () => {}) {
    this.#onWork = onWork
    this.#bridge = bridge
    this.#metrics = metrics
    this.#blocks = blocks
  }

  /** Counts the work that ended by the beat up to which all blocks are known. @param {number} untilMs */
  drain (untilMs) {
    this.#bridge.works.visit((numbers, at) => {
      const startMs = numbers[at + 1]
      const endMs = startMs + numbers[at + 2]
      if (endMs > untilMs) return false
      const { duration, blocked, isOther, hasThread } = this.#series.get(numbers[at]) ?? this.#makeSeries(numbers[at])
      duration.observe(numbers[at + 2] / MS_PER_S)
      // Work in a thread of its own does not wait for the main thread's loop.
      const blockedMs = hasThread ? 0 : this.#blocks.blockedMs(startMs, endMs, numbers[at + 3])
      if (!hasThread) blocked.observe(blockedMs / MS_PER_S)
      this.#onWork(numbers[at], startMs, numbers[at + 2], blockedMs)
      if (isOther) this.#metrics.overflowed('work')
      return true
    })
  }

  /** @param {number} packed */
  #makeSeries (packed) {
    const { name, kind, hasThread } = unpackWork(packed)
    const work = this.#bridge.workNames.stringOf(name) ?? OTHER
    const series = { ...this.#metrics.workSeries(work, kind), isOther: work === OTHER, hasThread }
    this.#series.set(packed, series)
    return series
  }
}

exports.WorkStats = WorkStats
