'use strict'

const process = require('../../util/process')
const { setTimeout, clearTimeout } = require('node:timers')
const { nowMs } = require('../../util/clock')
const { TRACKING, ORIGIN, ORIGIN_SHARE } = require('../../bridge/messages')
const { isHookSafe } = require('../runtime')
const { MS_PER_S } = require('../../util/units')

/** @import { HuntResult } from './hunt' */

/** Thread time after which the hook is off: `auto` in a whole window, `explicit` in each second. */
const BUDGET_MS = { auto: 10, explicit: 100 }

/** @typedef {'on' | 'hunt' | 'auto'} Reason who wants origins: the option, a call of hunt(), the watchdog */
/** @typedef {{ resolve: (result: HuntResult) => void, found: number, settle: () => Promise<void> }} Hunt */
/** @typedef {'time' | 'found' | 'budget' | 'stop'} Ended */

/** Runs blocked-at in windows: its hook costs time, so it is on only while somebody wants origins. */
class OriginTracker {
  /** @type {Map<Reason, { untilMs: number, timer?: NodeJS.Timeout }>} */
  #wishes = new Map()
  /** @type {{ stop: () => void, resume: () => void } | null} */
  #blockedAt = null
  /** @type {NodeJS.Timeout | undefined} */
  #pause
  /** @type {Hunt[]} */
  #hunts = []
  #options
  #send
  #onHeld
  #refusal
  #isLost = false
  #isStopped = false

  /**
   * @param {{ origin: 'off' | 'auto' | 'on', threshold: number }} options
   * @param {(message: object) => void} send to the watchdog
   * @param {(ms: number) => void} [onHeld] how long the tracking kept the thread @param {string} [version] of Node.js
   */
  constructor (options, send, onHeld = () => {}, version = process.versions.node) {
    this.#options = options
    this.#send = send
    this.#onHeld = onHeld
    this.#refusal = isHookSafe(version)
      ? null
      : `Node.js ${version} has CVE-2025-59466: with async_hooks a stack overflow would end the process; update Node.js`
  }

  /** Opens the window of the option `origin`, at the start and for every new watchdog. */
  begin () {
    this.#isLost = false
    if (this.#options.origin === 'off') return
    if (this.#refusal !== null) this.#fail(this.#refusal)
    else if (this.#options.origin === 'on') this.open('on', Infinity)
  }

  /**
   * @param {Reason} reason @param {number} seconds prolongs an open window, never shortens it
   * @param {string} [why] @returns {string | null} why it is refused
   */
  open (reason, seconds, why = '') {
    if (this.#isStopped) return 'the agent has been stopped'
    const refusal = this.#refusal ?? this.#enable(reason === 'auto' ? BUDGET_MS.auto : BUDGET_MS.explicit)
    if (refusal !== null) return this.#fail(refusal)
    const wish = this.#wishes.get(reason)
    clearTimeout(wish?.timer)
    const now = nowMs()
    const untilMs = Math.max(wish?.untilMs ?? 0, now + seconds * MS_PER_S)
    const timer = untilMs === Infinity ? undefined : setTimeout(() => this.close(reason, 'time'), untilMs - now).unref()
    this.#wishes.set(reason, { untilMs, timer })
    const leftS = untilMs === Infinity ? null : (untilMs - now) / MS_PER_S
    this.#send({ code: TRACKING, open: true, reason, seconds: leftS, why, failure: null })
    return null
  }

  /** @param {Reason} reason @param {Ended} ended why */
  close (reason, ended) {
    const wish = this.#wishes.get(reason)
    if (wish === undefined) return
    clearTimeout(wish.timer)
    this.#wishes.delete(reason)
    if (this.#wishes.size === 0) {
      this.#disable()
      this.#send({ code: TRACKING, open: false, ended, failure: null })
    }
    if (reason === 'hunt') this.#endHunts(ended)
  }

  /**
   * @param {number} seconds @param {() => Promise<void>} settle waits for the final records of blocks so far
   * @returns {Promise<HuntResult>}
   */
  async hunt (seconds, settle) {
    const refused = this.open('hunt', seconds)
    if (refused !== null) return { found: 0, refused }
    return new Promise((resolve) => { this.#hunts.push({ resolve, found: 0, settle }) })
  }

  /** @param {{ origin: unknown }} record of a block that has settled */
  onBlock ({ origin }) {
    if (origin === null) return
    for (const hunt of this.#hunts) hunt.found++
  }

  /** The watchdog's window. @param {{ open: boolean, seconds: number, why: string, ended: Ended }} message */
  onTrack ({ open, seconds, why, ended }) {
    if (open) this.open('auto', seconds, why)
    else this.close('auto', ended)
  }

  onLost () {
    this.#isLost = true
    this.#closeAll()
  }

  onWatched () {
    if (this.#isLost && !this.#isStopped) this.begin()
  }

  stop () {
    this.#isStopped = true
    this.#closeAll()
  }

  #closeAll () {
    for (const reason of [...this.#wishes.keys()]) this.close(reason, 'stop')
    this.#resolve(this.#hunts.splice(0))
  }

  /** @param {Ended} ended */
  #endHunts (ended) {
    if (ended === 'stop') return
    // A hunt that begins meanwhile goes on.
    const hunts = [...this.#hunts]
    const over = () => {
      this.#hunts = this.#hunts.filter((hunt) => !hunts.includes(hunt))
      this.#resolve(hunts)
    }
    hunts[0]?.settle().then(over, over)
  }

  /** @param {Hunt[]} hunts */
  #resolve (hunts) {
    for (const { resolve, found } of hunts) resolve({ found, refused: null })
  }

  /** @param {number} budgetMs @returns {string | null} why it failed */
  #enable (budgetMs) {
    // An automatic window has a smaller budget, so if no other is open, the hook starts again.
    if (this.#blockedAt !== null && this.#wishes.size > (this.#wishes.has('auto') ? 1 : 0)) return null
    this.#disable()
    try {
      const { runBlockedAt } = require('./async-hook')
      const onSpent = () => setTimeout(() => this.#onSpent(), 0).unref()
      this.#blockedAt = runBlockedAt(this.#options.threshold * ORIGIN_SHARE, (durationMs, type, frames) => {
        const endMs = nowMs()
        this.#send({ code: ORIGIN, startMs: endMs - durationMs, endMs, type, frames })
      }, { budgetMs, onSpent, onHeld: this.#onHeld })
      return null
    } catch (error) {
      return `blocked-at failed: ${error.message}`
    }
  }

  #disable () {
    clearTimeout(this.#pause)
    this.#blockedAt?.stop()
    this.#blockedAt = null
  }

  #onSpent () {
    if (this.#wishes.has('auto')) this.close('auto', 'budget')
    if (this.#blockedAt !== null) this.#pause = setTimeout(() => this.#blockedAt?.resume(), MS_PER_S).unref()
  }

  /** @param {string} failure */
  #fail (failure) {
    this.#send({ code: TRACKING, open: false, failure })
    return failure
  }
}

exports.OriginTracker = OriginTracker
