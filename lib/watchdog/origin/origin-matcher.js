'use strict'

const { TRACK, TRACKING, ORIGIN, ORIGIN_SHARE } = require('../../bridge/messages')
const { nowMs } = require('../../util/clock')
const { blamedFrame } = require('../../explain/frame')
const { ownerOf } = require('../../util/code-owner')
const { place } = require('../../util/place-text')
const { roundMs } = require('../../util/statistics')
const { OriginTrigger } = require('./origin-trigger')
const { MS_PER_S } = require('../../util/units')

/**
 * @import { Beat } from '../../bridge/beat'
 * @import { FrameTable } from '../../explain/source/frame-table'
 * @import { BlockRecord, Frame, OriginRecord } from '../../types'
 * @import { Say } from '../health'
 */

/** The latest slow callbacks kept: a block mostly settles in half a second, and fewer end in that time. */
const KEPT = 200
/** The most places that the log line at the end of tracking names. */
const PLACES_IN_LINE = 5
/** Callbacks of at least this share of the longest count as nested; the innermost, which ended first, is named. */
const SAME = 0.9

/** Reasons for tracking, as the log gives them. */
const reasons = { on: "option origin: 'on', for development only", hunt: 'agent.hunt()' }
/** Ends of tracking, likewise. */
const ends = {
  time: '',
  found: ', early: an origin was found',
  budget: ', early: the time budget is used up',
  stop: ', early: the agent is stopping'
}

/** The origins that the host reports while it tracks them: matches them with blocks, logs, and asks for tracking. */
class Origins {
  /** @type {{ startMs: number, endMs: number, origin: OriginRecord }[]} */
  #kept = []
  /** @type {{ isAuto: boolean, openedAtMs: number, callbacks: number, places: Set<string> } | null} */
  #window = null
  #trigger
  #parts

  /**
   * @param {object} parts @param {boolean} parts.isAuto tracking may start by itself
   * @param {(message: object) => void} parts.post to the host @param {Say} parts.say @param {FrameTable} parts.frames
   * @param {(failure: { message: string } | null) => void} parts.onState
   */
  constructor (parts) {
    this.#parts = parts
    this.#trigger = parts.isAuto ? new OriginTrigger() : null
  }

  get isTracking () {
    return this.#window !== null
  }

  /** @param {any} message from the host; an unknown code is ignored */
  receive (message) {
    if (message.code === ORIGIN) this.#add(message)
    else if (message.code === TRACKING && message.failure !== null) this.#parts.onState({ message: message.failure })
    else if (message.code === TRACKING) message.open ? this.#opened(message) : this.#closed(message)
  }

  /** @param {{ startMs: number, endMs: number, type: string, frames: Frame[] }} message */
  #add ({ startMs, endMs, type, frames: raw }) {
    const frames = raw.map((frame) => this.#parts.frames.get(frame))
    // The innermost frames are Node.js's own; the type already says the same.
    const foreign = frames.slice(frames.findIndex((frame) => ownerOf(frame) !== 'node'))
    const frame = blamedFrame(foreign)
    if (frame === null) return
    this.#kept.push({ startMs, endMs, origin: { type, durationMs: roundMs(endMs - startMs), frame, frames: foreign } })
    if (this.#kept.length > KEPT) this.#kept.shift()
    if (this.#window === null) return
    this.#window.callbacks++
    if (this.#window.places.size < PLACES_IN_LINE) this.#window.places.add(`${place(this.#parts.frames.named(frame))}`)
  }

  /** @param {{ reason: 'on' | 'hunt' | 'auto', seconds: number | null, why: string }} message */
  #opened ({ reason, seconds, why }) {
    this.#parts.onState(null)
    const isAuto = reason === 'auto' && (this.#window === null || this.#window.isAuto)
    this.#window = { openedAtMs: nowMs(), callbacks: 0, places: new Set(), ...this.#window, isAuto }
    const howLong = seconds === null ? '' : ` for ${Math.round(seconds)} s`
    const reasonGiven = reason === 'auto' ? why : reasons[reason]
    const message = `origin tracking is on${howLong} (${reasonGiven}); tracking takes ` +
      `${isAuto ? 'at most 10 ms in all' : 'up to 100 ms of each second'}`
    this.#parts.say('warn', { event: 'origin_tracking_on', reason, seconds }, message)
  }

  /** @param {{ ended: keyof typeof ends }} message */
  #closed ({ ended }) {
    if (this.#window === null) return
    const { openedAtMs, callbacks, places } = this.#window
    this.#window = null
    const seconds = Math.round((nowMs() - openedAtMs) / MS_PER_S * 10) / 10
    const what = callbacks === 0
      ? 'no slow callback with a known origin'
      : `slow callbacks created at ${[...places].join(', ')}`
    const fields = { event: 'origin_tracking_off', ended, seconds, found: callbacks, places: [...places] }
    this.#parts.say('info', fields, `origin tracking is off after ${seconds} s${ends[ended] ?? ''}: ${what}`)
  }

  /** @param {BlockRecord} record */
  settled (record) {
    this.#trigger?.settled(record, nowMs())
  }

  /** @param {number} now @param {Beat} beat */
  poll (now, beat) {
    const request = this.#trigger?.poll({ nowMs: now, beat, window: this.#window })
    if (request) this.#parts.post({ code: TRACK, ...request })
  }

  /** Where the callback was created that made most of a block. @param {number} startMs @param {number} endMs */
  within (startMs, endMs) {
    const overlaps = this.#kept.map((kept) =>
      ({ origin: kept.origin, ms: Math.min(kept.endMs, endMs) - Math.max(kept.startMs, startMs) }))
    const longestMs = Math.max(...overlaps.map(({ ms }) => ms))
    if (!(longestMs >= ORIGIN_SHARE * (endMs - startMs))) return null
    return overlaps.find(({ ms }) => ms >= SAME * longestMs)?.origin ?? null
  }
}

exports.Origins = Origins
