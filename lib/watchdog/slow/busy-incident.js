'use strict'

/** A loop that is active for this share of this time keeps everything waiting. */
const BUSY_SHARE = 0.95
const BUSY_MS = 10000
/** An incident is predicted this long before it opens: one look starts a profile, and the next one takes it. */
const LIKELY_MS = 3000
/** The incident ends once the loop idles for this share of a second. */
const IDLE_SHARE = 0.1
/** If blocks took this share of the time, their own reports are enough. */
const BLOCKED_SHARE = 0.5
/** A thread that waited for a CPU for this share of the time lacks CPU rather than having too much to do. */
const QUEUED_SHARE = 0.5

/**
 * @typedef {{ atMs: number, activeMs: number, blockedMs: number, queuedMs: number, turns: number }} Totals of the loop
 * so far; `queuedMs`: time its thread waited for a CPU, 0 if unknown
 * @typedef {{ type: 'opened' | 'ended', startMs: number, endMs: number, share: number, blockedShare: number,
 * queuedShare: number, turns: number }} BusyEvent `turns`: of the loop, 0 if Node.js does not count them
 */

/** Seconds are this inexact. */
const ROUND_MS = 500

/** @type {Totals} */
const NOTHING = { atMs: 0, activeMs: 0, blockedMs: 0, queuedMs: 0, turns: 0 }

/** Decides once a second from the loop's totals whether it is busy without a single long block. */
class BusyIncident {
  /** The latest seconds, oldest first. @type {Totals[]} */
  #seconds = []
  /** @type {Totals | null} when it began */
  #open = null

  get sinceMs () {
    return this.#open?.atMs ?? null
  }

  /**
   * The latest seconds, at most ten and less at first. More during a long block, in which there are no totals.
   * @param {number} [ms] how many @param {Totals} [to] the latest
   */
  recent (ms = BUSY_MS, to = this.#seconds.at(-1) ?? NOTHING) {
    const from = this.#seconds.find(({ atMs }) => to.atMs - atMs < ms + ROUND_MS) ?? this.#seconds.at(-1)
    return between(from ?? to, to)
  }

  /** The share of the last ten seconds in which it was active, less at first. */
  get share () {
    return this.recent().share
  }

  /** Whether an incident will open soon if the loop stays like this. */
  get isLikely () {
    const [from] = this.#seconds
    const to = this.#seconds[this.#seconds.length - 1]
    if (this.#open !== null || from === undefined || to.atMs - from.atMs < BUSY_MS - LIKELY_MS) return false
    return this.share >= BUSY_SHARE
  }

  /** @param {Totals} totals @returns {BusyEvent | null} */
  see (totals) {
    this.#seconds.push(totals)
    while (this.#seconds.length > 1 && totals.atMs - this.#seconds[1].atMs >= BUSY_MS) this.#seconds.shift()
    const [from] = this.#seconds
    if (this.#open !== null) return this.#mayEnd(this.#open, totals)
    const usage = between(from, totals)
    const isLong = totals.atMs - from.atMs >= BUSY_MS
    if (!isLong || usage.share < BUSY_SHARE) return null
    if (usage.blockedShare >= BLOCKED_SHARE || usage.queuedShare >= QUEUED_SHARE) return null
    this.#open = from
    return { type: 'opened', ...usage }
  }

  /** @param {Totals} open @param {Totals} totals @returns {BusyEvent | null} */
  #mayEnd (open, totals) {
    const last = this.#seconds[this.#seconds.length - 2] ?? open
    if (between(last, totals).share > 1 - IDLE_SHARE) return null
    this.#open = null
    this.#seconds = [totals]
    return { type: 'ended', ...between(open, last) }
  }
}

/** @param {Totals} from @param {Totals} to */
function between (from, to) {
  const elapsedMs = Math.max(1, to.atMs - from.atMs)
  return {
    startMs: from.atMs,
    endMs: to.atMs,
    share: Math.min(1, (to.activeMs - from.activeMs) / elapsedMs),
    blockedShare: (to.blockedMs - from.blockedMs) / elapsedMs,
    queuedShare: (to.queuedMs - from.queuedMs) / elapsedMs,
    turns: Math.max(0, (to.turns - from.turns) | 0)
  }
}

/** Decides it for the worker threads of one name, whose number may change: tasks wait while none of them rests. */
class BusyThreads {
  #incident = new BusyIncident()
  /** @type {{ atMs: number, activeMs: number, idleMs: number } | null} */
  #last = null
  #activeMs = 0
  /** Threads when last any lived. */
  count = 0

  get utilization () {
    return this.#incident.share
  }

  /**
   * @param {number} atMs
   * @param {{ activeMs: number, idleMs: number, count: number }} sums of all so far, ended ones too; how many live
   */
  see (atMs, { activeMs, idleMs, count }) {
    if (count > 0) this.count = count
    const last = this.#last ?? { atMs, activeMs, idleMs }
    const ranMs = activeMs - last.activeMs
    const allMs = ranMs + idleMs - last.idleMs
    if (allMs > 0) this.#activeMs += (atMs - last.atMs) * ranMs / allMs
    this.#last = { atMs, activeMs, idleMs }
    return this.#incident.see({ atMs, activeMs: this.#activeMs, blockedMs: 0, queuedMs: 0, turns: 0 })
  }
}

exports.BusyThreads = BusyThreads
exports.BusyIncident = BusyIncident
