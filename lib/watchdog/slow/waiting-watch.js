'use strict'

const { WAITS } = require('../../bridge/messages')
const { blamedFrame } = require('../../explain/frame')
const { ownerOf } = require('../../util/code-owner')
const { place } = require('../../util/place-text')
const { isExact, routesOf, WaitingIncident, waitingText } = require('./waiting-incident')

/**
 * @import { FrameTable } from '../../explain/source/frame-table'
 * @import { SlowWork } from '../../bridge/messages'
 * @import { Frame } from '../../types'
 * @import { UsualDurations } from '../requests/usual-durations'
 * @import { IncidentDetails } from './incidents'
 * @import { WaitingDetails, WaitingEvent } from './waiting-incident'
 */

/** Without a report of the host for this long, nothing is slow. The host reports each second, at rest a bit later. */
const SILENT_MS = 2500
/** Looks for which an incident waits for the place where the application calls: calls may be rare. */
const PLACE_LOOKS = 3

/** @typedef {{ slow: SlowWork[], frames?: Frame[] } & Partial<Pick<WaitingDetails, 'open' | 'usage'>>} Look */
/** @typedef {Omit<IncidentDetails, 'message' | 'advice' | 'requests'>} Details */

/** Requests that wait for a peer while the loop idles: asks the host for what shows why, and reports. */
class WaitingWatch {
  #parts
  #incident
  #reportedAtMs = -Infinity
  #looks = 0
  #isReported = false
  /** @type {WaitingDetails & { frame: Frame | null }} */
  #details = { usage: null, place: null, open: [], frame: null }

  /**
   * @param {object} parts @param {UsualDurations} parts.usual @param {FrameTable} parts.frames
   * @param {(message: object) => void} parts.post to the host
   * @param {() => boolean} parts.mayOpen whether nothing else explains that requests are slow
   * @param {(what: Details, when: { startMs: number, endMs: number }, text: string) => void} parts.report
   */
  constructor (parts) {
    this.#parts = parts
    this.#incident = new WaitingIncident(parts.usual)
  }

  /** The host has looked. @param {number} now @param {Look} look */
  answered (now, { slow, open, usage, frames }) {
    this.#reportedAtMs = now
    this.#see(now, slow)
    const details = this.#details
    if (open) details.open = open
    // At the end, the pool is no longer used up.
    if (usage) details.usage ??= usage
    if (frames) this.#takePlace(frames)
    const { current } = this.#incident
    if (current === null || this.#isReported || ++this.#looks === 1) return
    if (details.place === null && current.peer !== null && this.#looks < PLACE_LOOKS) return
    this.#isReported = true
    this.#report(current, true)
  }

  /** @param {number} now */
  poll (now) {
    if (now - this.#reportedAtMs >= SILENT_MS) this.#see(now, [])
    this.#parts.usual.poll(now, this.#incident.current !== null)
  }

  /** @param {number} now @param {SlowWork[]} slow */
  #see (now, slow) {
    const event = this.#incident.see(now, slow, this.#parts.mayOpen())
    if (event === null) return
    const isOpen = event.type === 'opened'
    this.#parts.post({ code: WAITS, peer: event.peer, isOpen })
    if (!isOpen && this.#isReported) this.#report(event, false)
    if (!isOpen) return
    this.#looks = 0
    this.#isReported = false
    this.#details = { usage: null, place: null, open: [], frame: null }
  }

  /** @param {Frame[]} raw */
  #takePlace (raw) {
    const { frames } = this.#parts
    const stack = raw.map((frame) => frames.get(frame))
    const frame = blamedFrame(stack.slice(stack.findIndex((each) => !['node', 'own'].includes(ownerOf(each)))))
    if (frame === null || ownerOf(frame) !== 'application') return
    this.#details.frame = frames.named(frame)
    this.#details.place = place(this.#details.frame)
  }

  /** @param {Omit<WaitingEvent, 'type'>} waiting @param {boolean} ongoing */
  #report (waiting, ongoing) {
    const { usage, frame, open } = this.#details
    this.#parts.report({
      kind: 'waiting',
      ongoing,
      peer: waiting.peer,
      exact: isExact(waiting),
      longestMs: Math.round(waiting.longestMs),
      waiting: ongoing ? waiting.slow.length : waiting.most,
      routes: routesOf(waiting),
      frame,
      ...usage,
      resources: Object.fromEntries(open)
    }, waiting, waitingText(waiting, ongoing, this.#details))
  }
}

exports.WaitingWatch = WaitingWatch
