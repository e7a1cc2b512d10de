'use strict'

const { place } = require('../../util/place-text')
const { counted, duration, printable } = require('../../util/sentence')
const { addTo, keyOfLargest } = require('../../util/statistics')

/**
 * @import { SlowWork } from '../../bridge/messages'
 * @import { Frame } from '../../types'
 * @import { UsualDurations } from '../requests/usual-durations'
 */

/** A request this old may be slow. The host reports no younger ones. */
const SLOW_MS = 1000
/** One that takes this many times as long as usual is slow. */
const USUAL_TIMES = 2
/** Bounds for a route that has answered nothing yet: it may take this long by design, if it waits for events. */
const FIRST_MS = 10_000
const FIRST_UNKNOWN_MS = 60_000
/** Most of their time: the share of slow requests that wait for one peer, in two looks in a row. */
const MOST_SHARE = 0.5
const LOOKS = 2
/** Shows that a call has no connection yet. */
const CONNECTING = /connecting|handshake|^DNS/

/**
 * @typedef {object} Waiting
 * @property {string | null} peer null: nothing that is published @property {SlowWork[]} slow that wait for it now
 * @property {number} startMs @property {number} endMs @property {number} longestMs @property {number} most at a time
 * @typedef {{ type: 'opened' | 'ended' } & Waiting} WaitingEvent
 */

/** @template T @param {Iterable<T>} values */
function countsOf (values) {
  /** @type {Map<T, number>} */
  const counts = new Map()
  for (const value of values) addTo(counts, value, 1)
  return counts
}

/** Decides once a second from slow requests whether most of them wait for the same. */
class WaitingIncident {
  /** @type {Waiting | null} */
  #open = null
  /** The peer that most slow requests wait for, undefined for none, and the number of looks in a row. */
  #streak = { peer: /** @type {string | null | undefined} */ (undefined), looks: 0 }
  #usual

  /** @param {Pick<UsualDurations, 'of'>} usual */
  constructor (usual) {
    this.#usual = usual
  }

  get current () {
    return this.#open
  }

  /** @param {number} nowMs @param {SlowWork[]} work @param {boolean} mayOpen @returns {WaitingEvent | null} */
  see (nowMs, work, mayOpen) {
    const open = this.#open
    const late = work.filter((each) => each.ageMs >= this.#boundMs(each))
    const top = open === null ? keyOfLargest(countsOf(late.map((each) => each.peer))) : open.peer
    const slow = late.filter((each) => each.peer === top)
    const isWaiting = slow.length > 0 && (open !== null || (mayOpen && slow.length >= late.length * MOST_SHARE))
    const peer = isWaiting ? top : undefined
    this.#streak = { peer, looks: peer === this.#streak.peer ? this.#streak.looks + 1 : 1 }
    const isLasting = this.#streak.looks >= LOOKS
    if (isWaiting && (open !== null || isLasting)) {
      const longestMs = Math.max(open?.longestMs ?? 0, ...slow.map(({ waitMs }) => waitMs))
      const most = Math.max(open?.most ?? 0, slow.length)
      const startMs = open?.startMs ?? nowMs - longestMs
      this.#open = { peer: slow[0].peer, slow, startMs, endMs: nowMs, longestMs, most }
      return open === null ? { type: 'opened', ...this.#open } : null
    }
    if (open === null || isWaiting || !isLasting) return null
    this.#open = null
    return { type: 'ended', ...open }
  }

  /** The age from which on it is slow. Nobody means a request to wait for a connection. @param {SlowWork} work */
  #boundMs ({ name, isRequest, isPool, peer }) {
    if (isPool && isRequest) return SLOW_MS
    const { latestMs, beforeMs } = this.#usual.of(name)
    if (beforeMs > 0) return Math.max(SLOW_MS, beforeMs * USUAL_TIMES)
    return Math.max(isRequest && peer !== null ? FIRST_MS : FIRST_UNKNOWN_MS, latestMs * USUAL_TIMES)
  }
}

/**
 * @typedef {object} WaitingDetails from the host
 * @property {{ inUse: number, limit: number } | null} usage of the pool
 * @property {Frame | null} frame where the application calls
 * @property {[kind: string, count: number][]} open what the process has open
 */

/** Whether the peer is certain. @param {Waiting} waiting */
exports.isExact = ({ peer, slow }) => peer !== null && isMost(slow, (each) => each.isSure)

/** @param {SlowWork[]} slow @param {(work: SlowWork) => boolean} test */
const isMost = (slow, test) => slow.filter(test).length * 2 > slow.length

/** Names of routes and work, those with most first. @param {Waiting} waiting */
exports.routesOf = ({ slow }) =>
  [...countsOf(slow.map(({ name }) => name))].sort((a, b) => b[1] - a[1]).map(([name]) => name)

/** @param {Waiting} waiting @param {boolean} ongoing @param {WaitingDetails} details */
exports.waitingText = (waiting, ongoing, { usage, frame, open }) => {
  const { peer, slow, longestMs, most, startMs, endMs } = waiting
  const count = ongoing ? slow.length : most
  const who = slow.every(({ isRequest }) => isRequest)
    ? counted(count, 'request')
    : counted(count, 'piece of work', 'pieces of work')
  const verb = ongoing ? `${who} ${count === 1 ? 'is' : 'are'} waiting` : `up to ${who} at a time waited`
  const doubt = peer === null || exports.isExact(waiting) ? '' : ', probably'
  const isUnsent = isMost(slow, (each) => each.isUnsent)
  const connection = slow[0].isPool ? 'a connection of the ' : isUnsent ? 'a connection for ' : ''
  const lasted = ongoing ? '' : ` for ${duration(endMs - startMs)}`
  const used = usage === null ? '' : `${usage.inUse} of ${usage.limit} in use, `
  const [route, ...others] = exports.routesOf(waiting)
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  const from = frame === null ? '' : `, from ${place(frame)}`
  // A single new connection explains nothing.
  const resources = open.filter(([kind, number]) =>
    peer === null || isUnsent || (CONNECTING.test(kind) && number * 2 >= slow.length))
    .map(([kind, number]) => `${kind}: ${number}`).join(', ')
  return printable(`${verb}${doubt} for ${connection}${peer ?? 'something that publishes nothing'}${lasted} ` +
    `(${used}longest ${duration(longestMs)}), ${route}${more}${from}${resources && `; open: ${resources}`}`)
}

exports.WaitingIncident = WaitingIncident
