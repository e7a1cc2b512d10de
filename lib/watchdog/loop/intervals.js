'use strict'

const { GC_KINDS } = require('../../bridge/memory')
const { QUERY } = require('../../bridge/messages')
const { intersected, overlapMs } = require('./self-lateness')
const { causeRow, isExcused, ownCauseOf } = require('../../tables/causes')
const { OTHER } = require('../../tables/limits')
const { US_PER_MS } = require('../../util/units')

/**
 * @import { Ring } from '../../bridge/ring'
 * @import { Metrics } from '../../export/prometheus/metrics'
 * @import { Timeline } from '../timeline/timeline'
 * @import { Bridge } from '../../bridge/memory'
 * @import { Counters } from '../../bridge/counters'
 * @import { PollReading } from './monitor'
 * @import { BlockRecord, QueryRecord, SleptIn } from '../../types'
 * @import { Wait } from '../../util/kernel/system-call-reader'
 */

/** The latest pauses that are kept, enough for the longest batch of one block. Older ones belong to settled blocks. */
const PAUSES = 4096
const MAJOR = GC_KINDS.indexOf('major')

/** The latest pauses of the host's garbage collector, to compare with a block. */
class GcPauses {
  /** @type {{ startMs: number, endMs: number, isMajor: boolean }[]} */
  #pauses = []
  #ring

  /** @param {Ring} ring */
  constructor (ring) {
    this.#ring = ring
  }

  /** @param {Pick<Metrics, 'observeGc'>} metrics @param {Pick<Timeline, 'pause'>} timeline */
  drain (metrics, timeline) {
    for (const [startMs, durationMs, kind] of this.#ring.drain()) {
      this.#pauses.push({ startMs, endMs: startMs + durationMs, isMajor: kind === MAJOR })
      timeline.pause(startMs, durationMs, kind)
      metrics.observeGc(GC_KINDS[kind] ?? 'other', durationMs)
    }
    if (this.#pauses.length > 2 * PAUSES) this.#pauses = this.#pauses.slice(-PAUSES)
  }

  /** The ms of an interval that were pauses. @param {number} startMs @param {number} endMs */
  within (startMs, endMs) {
    return overlapMs(this.#pauses, startMs, endMs)
  }

  /** The pauses of an interval. @param {number} startMs @param {number} endMs */
  listWithin (startMs, endMs) {
    return intersected(this.#pauses, [{ startMs, endMs }])
  }

  /** Whether the whole heap was collected in an interval. @param {number} startMs @param {number} endMs */
  isMajorWithin (startMs, endMs) {
    return this.#pauses.some((pause) => pause.isMajor && pause.startMs < endMs && pause.endMs > startMs)
  }
}

/** The latest calls that are kept, one second of calls back to back. Older ones belong to settled blocks. */
const CALLS = 1024
/** A block is allowed if calls cover this share of it. */
const MOSTLY = 0.5

/** @typedef {{ startMs: number, endMs: number, reason: number }} Call */

/** The latest calls of agent.allow(), to compare with a block. */
class AllowedTime {
  /** @type {Call[]} */
  #calls = []
  #bridge

  /** @param {Pick<Bridge, 'allowedCalls' | 'allowedNow' | 'reasons'>} bridge */
  constructor (bridge) {
    this.#bridge = bridge
  }

  drain () {
    for (const [startMs, endMs, reason] of this.#bridge.allowedCalls.drain()) {
      // The host extends a row of short calls by writing it again.
      if (this.#calls.at(-1)?.startMs === startMs) this.#calls.pop()
      this.#calls.push({ startMs, endMs, reason })
    }
    if (this.#calls.length > 2 * CALLS) this.#calls = this.#calls.slice(-CALLS)
  }

  /** The reason if half of an interval was allowed, else null. @param {number} startMs @param {number} endMs */
  reasonWithin (startMs, endMs) {
    this.drain()
    const { 0: inProgressFromMs, 1: reasonNow } = this.#bridge.allowedNow
    const inProgress = { startMs: inProgressFromMs, endMs, reason: reasonNow }
    const parts = [...this.#calls, ...(inProgressFromMs === 0 ? [] : [inProgress])]
      .map((call) => ({ reason: call.reason, ms: Math.min(call.endMs, endMs) - Math.max(call.startMs, startMs) }))
      .filter(({ ms }) => ms > 0)
    const allMs = parts.reduce((sum, { ms }) => sum + ms, 0)
    if (parts.length === 0 || allMs < MOSTLY * (endMs - startMs)) return null
    const most = parts.reduce((a, b) => b.ms > a.ms ? b : a)
    return this.#bridge.reasons.stringOf(most.reason) ?? OTHER
  }
}

/** If the agent keeps the thread for longer than this, it counts as a block after all. */
const HELD_MS = 5000

/** The time for which the agent itself keeps the thread (its start, profiler, modules), no block of the application. */
class AgentHolds {
  #counters
  /** Odd while the agent keeps the thread. */
  #holds
  #sinceMs = -Infinity
  #polledAtMs = -Infinity

  /** @param {Pick<Counters, 'get' | 'heldMicros'>} counters */
  constructor (counters) {
    this.#counters = counters
    this.#holds = counters.get('holds')
  }

  /** Whether the agent has not kept the thread since the last poll. @param {number} nowMs */
  isCalm (nowMs) {
    const holds = this.#counters.get('holds')
    if (holds !== this.#holds || isOdd(holds)) return false
    this.#polledAtMs = nowMs
    return true
  }

  /** Moves the beat by the agent's time. @param {PollReading} pollReading @returns {PollReading} */
  adjust (pollReading) {
    const holds = this.#counters.get('holds')
    const { reading: { atMs }, beat } = pollReading
    if (holds !== this.#holds) this.#sinceMs = this.#polledAtMs
    this.#polledAtMs = atMs
    this.#holds = holds
    const since = atMs - this.#sinceMs < HELD_MS ? this.heldMicros(atMs) : this.#counters.heldMicros
    const heldMs = (since - (beat.heldMicros ?? 0) | 0) / US_PER_MS
    return heldMs === 0 ? pollReading : { ...pollReading, beat: { ...beat, atMs: Math.min(atMs, beat.atMs + heldMs) } }
  }

  /** For how long the agent has kept the thread so far, with what it does now. @param {number} nowMs */
  heldMicros (nowMs) {
    return this.#counters.heldMicros + (isOdd(this.#holds) ? (nowMs - this.#sinceMs) * US_PER_MS : 0)
  }
}

/** @param {number} count */
const isOdd = (count) => (count & 1) === 1

/** The least time between two looks, and as a share of the block so far: ten seconds get 25 looks. */
const LOOK_MS = 20
const LOOK_SHARE = 0.25
/** Looks that are kept: those of a block of an hour, or of several blocks that have not settled. */
const KEPT = 100

/** @typedef {{ atMs: number, wait: Wait | null }} Look */

/** The calls that the thread slept in while its beat was overdue, looked at now and then. */
class SleptCalls {
  #read
  #isIdle
  #nextAtMs = -Infinity
  #blockedMs = 0
  /** @type {Look[]} */
  #looks = []

  /**
   * @param {() => Wait | null} read what it sleeps in now, null if it runs or if that is unknown
   * @param {() => boolean} [isIdle] the loop waits for events, which it may just before a block or just after it
   */
  constructor (read, isIdle = () => false) {
    this.#read = read
    this.#isIdle = isIdle
  }

  /** @param {number} nowMs @param {number} blockedMs so far */
  lookIfDue (nowMs, blockedMs) {
    const isNew = blockedMs < this.#blockedMs
    if (nowMs < this.#nextAtMs && !isNew) return
    this.#blockedMs = blockedMs
    this.#nextAtMs = nowMs + Math.max(LOOK_MS, blockedMs * LOOK_SHARE)
    this.#looks.push({ atMs: nowMs, wait: this.#isIdle() ? null : this.#read() })
    if (this.#looks.length > KEPT) this.#looks.shift()
  }

  /** @param {number} startMs @param {number} endMs @returns {SleptIn | null} the longest */
  within (startMs, endMs) {
    // A look stands for the time since the one before it. Before the block the loop was free to wait for events.
    const looks = this.#looks.filter(({ atMs }) => atMs >= startMs && atMs <= endMs)
      .map((look, i, all) => ({ ...look, weightMs: look.atMs - (all[i - 1]?.atMs ?? startMs) }))
    const asleep = looks.flatMap(({ wait, weightMs }) => wait === null ? [] : [{ ...wait, weightMs }])
    const call = heaviest(asleep, ({ call }) => call)
    if (call === null) return null
    const ofCall = asleep.filter((each) => each.call === call.key)
    const { first, weightMs, count } = heaviest(ofCall, ({ text }) => text) ?? call
    const isOneOfMany = count > 1 && weightMs <= call.weightMs / 2
    return {
      call: first.call,
      target: first.target,
      text: isOneOfMany ? `${first.text} and ${count - 1} more` : first.text,
      share: Math.round(100 * call.weightMs / (looks.reduce((sum, { weightMs }) => sum + weightMs, 0) || 1)) / 100
    }
  }
}

/** @template {Wait & { weightMs: number }} T @param {T[]} waits @param {(wait: T) => string} keyOf */
function heaviest (waits, keyOf) {
  /** @type {Map<string, { key: string, first: T, weightMs: number }>} */
  const sums = new Map()
  for (const wait of waits) {
    const key = keyOf(wait)
    const sum = sums.get(key) ?? { key, first: wait, weightMs: 0 }
    sums.set(key, { ...sum, weightMs: sum.weightMs + wait.weightMs })
  }
  const [top] = [...sums.values()].sort((a, b) => b.weightMs - a.weightMs)
  return top === undefined ? null : { ...top, count: sums.size }
}

/** The latest late turns that are kept: a block mostly settles in half a second. */
const TURNS = 100
/** A statement that began earlier before a block took several turns (iterate()). A block may seem to begin late. */
const BEFORE_MS = 100
/** Share of a block from which on its statements are named. SQLite does not measure the call, which takes this time. */
const QUERY_SHARE = 0.2
const CALL_MS = 0.003
/** The same for a turn whose statements were not all followed. */
const MANY = 1000
/** Methods of node:sqlite that run a statement, as a call or its name. */
const METHOD = /(?:^|\.)\s*(?:all|exec|get|iterate|run)\s*(?:\(|$)/

/** Statements of node:sqlite: asks the host to follow them, and matches the longest of each late turn with blocks. */
class Queries {
  /** @type {(QueryRecord & { atMs: number })[]} `atMs`: the end of the longest */
  #kept = []
  #sourceRows
  #post

  /** @param {(file: string) => string[] | null} sourceRows @param {(message: object) => void} post to the host */
  constructor (sourceRows, post) {
    this.#sourceRows = sourceRows
    this.#post = post
  }

  /** Following costs time, so only a block that may have been in a statement begins it. @param {BlockRecord} record */
  settled (record) {
    const { frame, profile, probable } = record
    const { file, line } = frame ?? {}
    const call = profile?.call ?? probable?.call
    // An answer after a call may be in a caller of its function. JavaScript that runs many statements is in its line.
    const mayBeIn = causeRow(ownCauseOf(record)).isCall
      ? !call || METHOD.test(call)
      : file && line && METHOD.test(this.#sourceRows(file)?.[line - 1] ?? '')
    if (mayBeIn && !isExcused(record)) this.#post({ code: QUERY })
  }

  /** @param {any} message of the host */
  receive ({ code, ...query }) {
    this.#kept = [...this.#kept.slice(-TURNS), query]
  }

  /** Those of a block. @param {number} startMs @param {number} endMs @returns {QueryRecord | null} */
  within (startMs, endMs) {
    const kept = this.#kept.findLast(({ atMs, durationMs }) =>
      atMs > startMs && atMs <= endMs && atMs - durationMs > startMs - BEFORE_MS)
    if (kept === undefined) return null
    const { atMs, ...query } = kept
    const { count, totalMs, more } = query
    const isMuch = more ? count >= MANY : totalMs + count * CALL_MS >= QUERY_SHARE * (endMs - startMs)
    return isMuch ? query : null
  }
}

exports.Queries = Queries
exports.GcPauses = GcPauses
exports.AllowedTime = AllowedTime
exports.AgentHolds = AgentHolds
exports.SleptCalls = SleptCalls
