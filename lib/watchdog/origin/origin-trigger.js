'use strict'

const { causeRow, ownCauseOf } = require('../../tables/causes')
const { BoundedMap } = require('../../util/bounded-map')
const { Recently } = require('../../util/recently')

/**
 * @import { Beat } from '../../bridge/beat'
 * @import { BlockRecord } from '../../types'
 */

/** Blocks at one place within this time that are not an accident. */
const BLOCKS = 3
const WITHIN_MS = 10 * 60 * 1000
/** The window of tracking that such blocks open. */
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
  /** @type {BoundedMap<{ key: string, blocks: Recently, why: string }>} places whose origin would help */
  #sites = new BoundedMap({ mostItems: SITES })
  /** Places whose origin is known. @type {Set<string>} */
  #solved = new Set()
  /** @type {Sample[]} oldest first */
  #samples = []
  #beats = -1
  #pausedUntilMs = -Infinity
  /** @type {string | null} the place that the last window was asked for */
  #wanted = null
  #hasOrigin = false

  /** @param {BlockRecord} record @param {number} nowMs */
  settled (record, nowMs) {
    const key = siteOf(record)
    if (record.origin !== null) {
      this.#hasOrigin ||= key === this.#wanted
      this.#sites.delete(key)
      if (this.#solved.size < SITES) this.#solved.add(key)
    }
    if (this.#solved.has(key) || !isPuzzling(record)) return
    const blocks = this.#sites.get(key)?.blocks ?? new Recently({ times: BLOCKS, withinMs: WITHIN_MS })
    blocks.add(nowMs)
    this.#sites.set(key, { key, blocks, why: whyOf(record) })
  }

  /**
   * @param {object} now @param {number} now.nowMs @param {Beat} now.beat the last one
   * @param {{ isAuto: boolean } | null} now.window the open one, and if it is ours @returns {Request | null}
   */
  poll ({ nowMs, beat, window }) {
    // Without a new beat there is nothing new to decide on.
    if (beat.beats === this.#beats) return null
    this.#beats = beat.beats
    const now = { atMs: beat.atMs, activeMs: beat.activeMs, idleMs: beat.idleMs }
    const request = window === null ? this.#mayOpen(nowMs, now) : null
    if (now.atMs - (this.#samples.at(-1)?.atMs ?? -Infinity) >= SAMPLE_MS) {
      this.#samples.push(now)
      while (this.#samples.length > 1 && this.#samples[1].atMs <= now.atMs - CALM_SPAN_MS) this.#samples.shift()
    }
    return window?.isAuto && this.#hasOrigin ? { open: false, ended: 'found' } : request
  }

  /** @param {number} nowMs @param {Sample} now @returns {Request | null} */
  #mayOpen (nowMs, now) {
    if (nowMs < this.#pausedUntilMs) return null
    const before = this.#samples.findLast(({ atMs }) => atMs <= now.atMs - CALM_SPAN_MS)
    if (before === undefined) return null
    const activeMs = now.activeMs - before.activeMs
    const totalMs = activeMs + now.idleMs - before.idleMs
    if (totalMs <= 0 || activeMs / totalMs >= CALM) return null
    for (const { key, blocks, why } of this.#sites.values()) {
      if (!blocks.isOn(nowMs)) continue
      this.#pausedUntilMs = nowMs + PAUSE_MS
      this.#wanted = key
      this.#hasOrigin = false
      return { open: true, seconds: WINDOW_S, why }
    }
    return null
  }
}

/** Whether an origin would help: no work or no frame, but an asynchronous callback. @param {BlockRecord} record */
function isPuzzling (record) {
  const { thread, startup, work, request, frame } = record
  const isBlamable = causeRow(ownCauseOf(record)).hasCallback === true
  return isBlamable && !startup && thread === 'main' && (frame === null || !(work ?? request))
}

/** The place of a block, without the line, which differs between blocks at one place. @param {BlockRecord} record */
function siteOf ({ frame }) {
  return frame === null ? '' : `${frame.file}\n${frame.function}`
}

/** @param {BlockRecord} record */
function whyOf ({ frame }) {
  return frame === null
    ? `${BLOCKS} blocks outside application code`
    : `${BLOCKS} blocks in ${frame.function ?? '(anonymous)'} (${frame.file}:${frame.line}) outside any request or job`
}

exports.OriginTrigger = OriginTrigger
