'use strict'

const { causes } = require('../../tables/causes')
const { Recently } = require('../../util/recently')

/**
 * @import { Beat } from '../../bridge/beat'
 * @import { BlockRecord } from '../../types'
 */

/** This many blocks at one place within this time are not an accident. */
const BLOCKS = 3
const WITHIN_MS = 10 * 60 * 1000
/** How long such blocks open a window of tracking. */
const WINDOW_S = 10
/** The least time from one such window to the next. */
const PAUSE_MS = 60 * 60 * 1000
/** A window opens only if utilization was below CALM over this time. */
const CALM_SPAN_MS = 5000
/** The least time between two samples of the utilization. */
const SAMPLE_MS = 500
const CALM = 0.5
/** The most places that are remembered; those whose origin is known are counted separately. */
const SITES = 100

/** @typedef {{ open: true, seconds: number, why: string } | { open: false, ended: 'found' }} Request */
/** @typedef {{ atMs: number, activeMs: number, idleMs: number }} Sample */

/** Decides when to track origins: blocks repeat at one place, an origin would help, and the loop has time to spare. */
class OriginTrigger {
  /** @type {Map<string, { blocks: Recently, why: string }>} places whose origin would help */
  #sites = new Map()
  /** Places whose origin is known. @type {Set<string>} */
  #solved = new Set()
  /** @type {Sample[]} oldest first */
  #samples = []
  #beats = -1
  #pausedUntilMs = -Infinity
  /** @type {string | null} the place that the last window was asked for */
  #wanted = null
  #isFound = false

  /** @param {BlockRecord} record @param {number} nowMs */
  settled (record, nowMs) {
    const key = siteOf(record)
    if (record.origin !== null) {
      this.#isFound ||= key === this.#wanted
      this.#sites.delete(key)
      if (this.#solved.size < SITES) this.#solved.add(key)
    }
    if (this.#solved.has(key) || !isPuzzling(record)) return
    const blocks = this.#sites.get(key)?.blocks ?? new Recently({ times: BLOCKS, withinMs: WITHIN_MS })
    blocks.add(nowMs)
    // Moved to the end: the place that has not blocked for longest is dropped first.
    this.#sites.delete(key)
    this.#sites.set(key, { blocks, why: whyOf(record) })
    if (this.#sites.size > SITES) this.#sites.delete(/** @type {string} */ (this.#sites.keys().next().value))
  }

  /**
   * @param {object} seen @param {number} seen.nowMs @param {Beat} seen.beat the last one
   * @param {{ isAuto: boolean } | null} seen.window the open one, and if it is ours @returns {Request | null}
   */
  poll ({ nowMs, beat, window }) {
    // Without a new beat there is nothing new to decide on.
    if (beat.beats === this.#beats) return null
    this.#beats = beat.beats
    const now = { atMs: beat.atMs, activeMs: beat.activeMs, idleMs: beat.idleMs }
    const request = this.#decide(nowMs, now, window)
    this.#keep(now)
    return request
  }

  /** @param {number} nowMs @param {Sample} now @param {{ isAuto: boolean } | null} window @returns {Request | null} */
  #decide (nowMs, now, window) {
    if (window === null) return this.#mayOpen(nowMs, now)
    if (!window.isAuto || !this.#isFound) return null
    return { open: false, ended: 'found' }
  }

  /** @param {number} nowMs @param {Sample} now @returns {Request | null} */
  #mayOpen (nowMs, now) {
    if (nowMs < this.#pausedUntilMs || this.#sites.size === 0) return null
    const before = this.#sampleBefore(now.atMs - CALM_SPAN_MS)
    if (before === undefined || utilization(before, now) >= CALM) return null
    for (const [key, { blocks, why }] of this.#sites) {
      if (!blocks.isOn(nowMs)) continue
      this.#pausedUntilMs = nowMs + PAUSE_MS
      this.#wanted = key
      this.#isFound = false
      return { open: true, seconds: WINDOW_S, why }
    }
    return null
  }

  /** @param {number} atMs */
  #sampleBefore (atMs) {
    return this.#samples.findLast((sample) => sample.atMs <= atMs)
  }

  /** @param {Sample} now */
  #keep (now) {
    if (now.atMs - (this.#samples.at(-1)?.atMs ?? -Infinity) < SAMPLE_MS) return
    this.#samples.push(now)
    while (this.#samples.length > 1 && this.#samples[1].atMs <= now.atMs - CALM_SPAN_MS) this.#samples.shift()
  }
}

/** @param {Sample} from @param {Sample} to */
function utilization (from, to) {
  const activeMs = to.activeMs - from.activeMs
  const idleMs = to.idleMs - from.idleMs
  return activeMs + idleMs > 0 ? activeMs / (activeMs + idleMs) : 1
}

/** Whether an origin would help: no request or no frame, but an asynchronous callback. @param {BlockRecord} record */
function isPuzzling ({ thread, startup, cause, evidence, request, frame }) {
  const isBlamable = causes[cause].hasCallback === true
  return isBlamable && !evidence.debugger && !startup && thread === 'main' && (request === null || frame === null)
}

/** The place of a block, without the line, which differs between blocks at one place. @param {BlockRecord} record */
function siteOf ({ frame }) {
  return frame === null ? '' : `${frame.file}\n${frame.function}`
}

/** @param {BlockRecord} record */
function whyOf ({ frame }) {
  return frame === null
    ? `${BLOCKS} blocks outside application code`
    : `${BLOCKS} blocks in ${frame.function ?? '(anonymous)'} (${frame.file}:${frame.line}) outside any request`
}

exports.OriginTrigger = OriginTrigger
