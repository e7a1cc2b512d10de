'use strict'

const { RecentFailure } = require('./health')
const { duration } = require('../util/sentence')
const { US_PER_MS } = require('../util/units')

/**
 * @import { Bridge } from '../bridge/memory'
 * @import { Cluster } from '../cluster/cluster'
 * @import { Metrics } from '../export/prometheus/metrics'
 * @import { Health } from './health'
 * @import { SelfLateness } from './loop/self-lateness'
 * @import { Sinks } from './sinks'
 * @import { WatchedThreads } from './threads/threads'
 */

/** Counts are updated this often, and at every poll while something is going on. */
const COUNT_MS = 1000
/** A turn of the watchdog's own loop that takes longer is a fault of ours. Mostly it takes under 50 ms. */
const LONG_TURN_MS = 1000

/** Once a second: counts what was lost, judges the option `route` and the watchdog itself. */
class Housekeeping {
  #parts
  #countAtMs = 0
  #badRoutes = new BadRoutes()
  #longTurns = new LongTurns()

  /**
   * @param {object} parts @param {Bridge} parts.bridge @param {Metrics} parts.metrics
   * @param {Health} parts.health @param {Cluster} parts.cluster @param {Sinks} parts.sinks
   * @param {WatchedThreads | null} parts.threads @param {Pick<SelfLateness, 'takeLongestTurn'>} parts.lateness
   */
  constructor (parts) {
    this.#parts = parts
  }

  /** @param {number} now @param {boolean} isEventful something is going on */
  poll (now, isEventful) {
    if (isEventful || now >= this.#countAtMs) this.count(now)
  }

  /** @param {number} now */
  count (now) {
    const { bridge, health, metrics, lateness, cluster, threads, sinks } = this.#parts
    this.#countAtMs = now + COUNT_MS
    metrics.addOwnBlockedMs(bridge.counters.take('ownBlockedMicros') / US_PER_MS)
    health.set('route', this.#badRoutes.judge(bridge.counters.get('badRoute'), now))
    health.set('watchdog', this.#longTurns.judge(lateness.takeLongestTurn(), now))
    const lost = {
      ...sinks.takeLost(),
      request: bridge.requests.takeDropped() + bridge.counters.take('badRequest'),
      work: bridge.works.takeDropped(),
      late_beat: bridge.lateBeats.takeDropped() + (threads?.takeDropped() ?? 0),
      gc_pause: bridge.gcPauses.takeDropped(),
      cluster_record: cluster.takeLost()
    }
    for (const [reason, count] of Object.entries(lost)) if (count > 0) metrics.drop(reason, count)
  }
}

/** Judges the option `route` by how often it has failed. */
class BadRoutes {
  #count = 0
  #failure = new RecentFailure()

  /** @param {number} count of calls so far that threw or gave no name @param {number} nowMs */
  judge (count, nowMs) {
    const message = 'the option route threw, or returned something other than a name, null or undefined'
    if (count !== this.#count) this.#failure.add(new Error(message), nowMs)
    this.#count = count
    return this.#failure.at(nowMs)
  }
}

/** Judges the watchdog by the turns of its own loop. */
class LongTurns {
  #failure = new RecentFailure()

  /** @param {number} turnMs the longest since the last call @param {number} nowMs */
  judge (turnMs, nowMs) {
    if (turnMs >= LONG_TURN_MS) {
      this.#failure.add(new Error(`one turn of the watchdog's loop took ${duration(turnMs)}`), nowMs)
    }
    return this.#failure.at(nowMs)
  }
}

exports.Housekeeping = Housekeeping
exports.BadRoutes = BadRoutes
exports.LongTurns = LongTurns
