'use strict'

const { FOLLOW } = require('../bridge/messages')
const { Recently } = require('../util/recently')
const { SlowWatch } = require('./slow/slow-watch')
const { RequestTracking } = require('./requests/request-tracking')
const { nowMs } = require('../util/clock')
const { duration } = require('../util/sentence')
const { US_PER_MS } = require('../util/units')

/**
 * @import { Bridge } from '../bridge/memory'
 * @import { Cluster } from '../cluster/cluster'
 * @import { LogBudget } from '../export/log/budget'
 * @import { BlockLog } from '../export/log/log'
 * @import { Metrics } from '../export/prometheus/metrics'
 * @import { BlockFile } from '../store/block-file'
 * @import { BlockRecord } from '../types'
 * @import { Health } from './health'
 * @import { SelfLateness } from './loop/self-lateness'
 * @import { Filling } from './slow/pool-filling'
 * @import { Parts } from './slow/slow-watch'
 * @import { WatchedThreads } from './threads/threads'
 */

/** Lines that the log left out of a storm of blocks are counted in the log after this long without a block. */
const QUIET_MS = 5000
/** Counts are updated this often, and at every poll while something is going on. */
const COUNT_MS = 1000
/** A turn of the watchdog's own loop that takes longer is a fault of ours. Mostly it takes under 50 ms. */
const LONG_TURN_MS = 1000
/** After this long without a failure, what has failed counts as working again. */
const TRUST_MS = 60000

/** Once a second: counts drops, judges the option `route`, follows requests or stops, reports suppressed log lines. */
class Upkeep {
  #parts
  #requestTracking
  #slow
  #quietAtMs = Infinity
  #countAtMs = 0
  #badRoutes = new BadRoutes()
  #longTurns = new LongTurns()

  /**
   * @param {object} parts @param {Bridge} parts.bridge
   * @param {Metrics} parts.metrics
   * @param {Health} parts.health @param {boolean} parts.escalates see WorkerData
   * @param {BlockLog | null} parts.log @param {(message: object) => void} parts.post
   * @param {Pick<BlockFile, 'takeLost'> | null} parts.file
   * @param {Cluster} parts.cluster
   * @param {WatchedThreads | null} parts.threads
   * @param {Pick<SelfLateness, 'takeLongestTurn'>} parts.lateness
   * @param {LogBudget} parts.budget of worker threads' blocks that go to the file
   * @param {Pick<Parts,
   *   'frameIn' | 'finished' | 'queuedMs' | 'page' | 'threads' | 'wantProfile'>} parts.slow
   */
  constructor (parts) {
    this.#parts = parts
    const { bridge, metrics, escalates, post, health, slow } = parts
    this.#slow = new SlowWatch({ bridge, say: health.say, metrics, post, ...slow })
    this.#requestTracking = escalates ? new RequestTracking((on) => post({ code: FOLLOW, on }), health.say) : null
  }

  settled () {
    this.#quietAtMs = nowMs() + QUIET_MS
  }

  /** @param {BlockRecord} record */
  mainSettled ({ durationMs }) {
    this.#slow.blocked(durationMs)
    this.#requestTracking?.settled(nowMs())
  }

  followingIsCostly () {
    this.#requestTracking?.tooCostly(nowMs())
  }

  /** The host says what it waits for. @param {Filling} filling */
  waitsFor (filling) {
    this.#slow.answered(filling)
  }

  /** @param {number} now @param {boolean} isEventful something is going on */
  poll (now, isEventful) {
    this.#slow.poll(now)
    if (isEventful || now >= this.#countAtMs) this.count(now)
  }

  /** @param {number} now */
  count (now) {
    const { bridge, health, metrics, log, lateness } = this.#parts
    this.#countAtMs = now + COUNT_MS
    this.#requestTracking?.tick(now)
    metrics.addOwnBlockedMs(bridge.counters.take('ownBlockedMicros') / US_PER_MS)
    health.set('route', this.#badRoutes.judge(bridge.counters.get('badRoute'), now))
    health.set('watchdog', this.#longTurns.judge(lateness.takeLongestTurn(), now))
    if (now >= this.#quietAtMs) {
      log?.flushSuppressed()
      this.#quietAtMs = Infinity
    }
    for (const [reason, count] of Object.entries(this.#takeDropped())) {
      if (count > 0) metrics.drop(reason, count)
    }
  }

  /** Losses since the last call, by reason in `events_dropped_total`. @returns {Record<string, number>} */
  #takeDropped () {
    const { bridge, log, file, cluster, threads, budget } = this.#parts
    const unfiled = budget.takeSuppressed()
    return {
      ...log?.takeDropped(),
      request: bridge.requests.takeDropped() + bridge.counters.take('badRequest'),
      work: bridge.works.takeDropped(),
      late_beat: bridge.lateBeats.takeDropped() + (threads?.takeDropped() ?? 0),
      gc_pause: bridge.gcPauses.takeDropped(),
      record: file?.takeLost() ?? 0,
      thread_record: file === null ? 0 : unfiled,
      cluster_record: cluster.takeLost()
    }
  }
}

/** Whether the option `route` works, judged by how often it has failed. */
class BadRoutes {
  #count = 0
  #failures = new Recently({ withinMs: TRUST_MS })

  /** @param {number} count of calls so far that threw or gave no name @param {number} nowMs @returns {Error | null} */
  judge (count, nowMs) {
    if (count !== this.#count) this.#failures.add(nowMs)
    this.#count = count
    if (!this.#failures.isOn(nowMs)) return null
    return new Error('the option route threw, or returned something other than a name, null or undefined')
  }
}

/** Whether a turn of the watchdog's own loop has taken too long lately. */
class LongTurns {
  #longestMs = 0
  #longTurns = new Recently({ withinMs: TRUST_MS })

  /** @param {number} turnMs the longest since the last call @param {number} nowMs @returns {Error | null} */
  judge (turnMs, nowMs) {
    if (turnMs >= LONG_TURN_MS) {
      this.#longTurns.add(nowMs)
      this.#longestMs = turnMs
    }
    if (!this.#longTurns.isOn(nowMs)) return null
    return new Error(`one turn of its loop took ${duration(this.#longestMs)}`)
  }
}

exports.LongTurns = LongTurns
exports.Upkeep = Upkeep
exports.BadRoutes = BadRoutes
