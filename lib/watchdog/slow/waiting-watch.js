'use strict'

const { WAITS } = require('../../bridge/messages')
const { blamedFrame } = require('../../explain/frame')
const { ownerOf } = require('../../util/code-owner')
const { isExact, routesOf, WaitingIncident, waitingText } = require('./waiting-incident')

/**
 * @import { FrameTable } from '../../explain/source/frame-table'
 * @import { SlowWork } from '../../bridge/messages'
 * @import { Frame } from '../../types'
 * @import { UsualDurations } from '../requests/usual-durations'
 * @import { IncidentDetails } from './incidents'
 * @import { Waiting, WaitingDetails } from './waiting-incident'
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
  #answeredAtMs = -Infinity
  /** Since the incident began. */
  #looks = 0
  #isReported = false
  /** @type {WaitingDetails} */
  #details = { usage: null, frame: null, open: [] }

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
    this.#answeredAtMs = now
    this.#see(now, slow)
    const details = this.#details
    if (open) details.open = open
    // At the end, the pool is no longer used up.
    if (usage) details.usage ??= usage
    if (frames) details.frame = this.#callerIn(frames) ?? details.frame
    const { current } = this.#incident
    // The first answer comes before the host knows of the incident.
    if (current === null || this.#isReported || ++this.#looks === 1) return
    if (details.frame === null && current.peer !== null && this.#looks < PLACE_LOOKS) return
    this.#isReported = true
    this.#report(current, true)
  }

  /** @param {number} now */
  poll (now) {
    if (now - this.#answeredAtMs >= SILENT_MS) this.#see(now, [])
  }

  get isOpen () {
    return this.#incident.current !== null
  }

  /** @param {number} now @param {SlowWork[]} slow */
  #see (now, slow) {
    const event = this.#incident.see(now, slow, slow.length > 0 && this.#parts.mayOpen())
    if (event === null) return
    const isOpen = event.type === 'opened'
    this.#parts.post({ code: WAITS, peer: event.peer, isOpen })
    if (!isOpen && this.#isReported) this.#report(event, false)
    this.#looks = 0
    this.#isReported = false
    this.#details = { usage: null, frame: null, open: [] }
  }

  /** The application's line. @param {Frame[]} raw */
  #callerIn (raw) {
    const { frames } = this.#parts
    const stack = raw.map((frame) => frames.get(frame))
    const frame = blamedFrame(stack.slice(stack.findIndex((each) => !['node', 'own'].includes(ownerOf(each)))))
    return frame !== null && ownerOf(frame) === 'application' ? frames.named(frame) : null
  }

  /** @param {Waiting} waiting @param {boolean} ongoing */
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
