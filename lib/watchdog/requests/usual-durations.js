'use strict'

const { MS_PER_MINUTE } = require('../../util/units')

/** The first durations are those of a process that warms up. */
const FIRST_MS = 10_000

/** @typedef {{ latestMs: number, beforeMs: number }} Usual the longest in this minute, and in the one before it */

const NONE = { latestMs: 0, beforeMs: 0 }

/** How long requests of a route, or works of one name, usually take: the longest of the minute before. */
class UsualDurations {
  /** @type {Map<string, Usual>} */
  #usual = new Map()
  /** @type {number | null} */
  #endsAtMs = null

  /** For those who count. @param {string} name */
  add (name) {
    const usual = this.#usual.get(name) ?? { ...NONE }
    this.#usual.set(name, usual)
    return usual
  }

  /** @param {string} name @returns {Usual} */
  of (name) {
    return this.#usual.get(name) ?? NONE
  }

  /** @param {number} nowMs @param {boolean} isUnusual the present minute does not count */
  poll (nowMs, isUnusual) {
    this.#endsAtMs ??= nowMs + FIRST_MS
    if (isUnusual || nowMs < this.#endsAtMs) return
    this.#endsAtMs = nowMs + MS_PER_MINUTE
    for (const usual of this.#usual.values()) {
      // A minute without any says nothing.
      usual.beforeMs = usual.latestMs || usual.beforeMs
      usual.latestMs = 0
    }
  }
}

exports.UsualDurations = UsualDurations
