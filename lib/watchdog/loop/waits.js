'use strict'

/**
 * @import { SleptIn } from '../../types'
 * @import { Wait } from '../kernel/system-call-reader'
 */

/** The least time between two looks, and as a share of the block so far: ten seconds get 25 looks. */
const LOOK_MS = 20
const LOOK_SHARE = 0.25
/** Looks that are kept: those of a block of an hour, or of several blocks that have not settled. */
const KEPT = 100

/**
 * @typedef {{ atMs: number, weightMs: number, wait: Wait | null }} Look
 */

/** What the thread slept in while its beat was overdue, looked at now and then. */
class Waits {
  #read
  #nextAtMs = -Infinity
  #blockedMs = 0
  #lastAtMs = 0
  /** @type {Look[]} */
  #looks = []

  /** @param {() => Wait | null} read what it sleeps in now, null if it runs or if that is unknown */
  constructor (read) {
    this.#read = read
  }

  /** @param {number} nowMs @param {number} blockedMs so far */
  lookIfDue (nowMs, blockedMs) {
    const isNew = blockedMs < this.#blockedMs
    if (isNew) this.#nextAtMs = -Infinity
    if (nowMs < this.#nextAtMs) return
    const weightMs = isNew || this.#looks.length === 0 ? blockedMs : Math.min(blockedMs, nowMs - this.#lastAtMs)
    this.#blockedMs = blockedMs
    this.#lastAtMs = nowMs
    this.#nextAtMs = nowMs + Math.max(LOOK_MS, blockedMs * LOOK_SHARE)
    this.#looks.push({ atMs: nowMs, weightMs, wait: this.#read() })
    if (this.#looks.length > KEPT) this.#looks.shift()
  }

  /** @param {number} startMs @param {number} endMs @returns {SleptIn | null} the longest */
  within (startMs, endMs) {
    const looks = this.#looks.filter(({ atMs }) => atMs >= startMs && atMs <= endMs)
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
      share: Math.round(100 * call.weightMs / looks.reduce((sum, { weightMs }) => sum + weightMs, 0)) / 100
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

exports.Waits = Waits
