'use strict'

const { counted, duration } = require('../../util/sentence')

/**
 * @import { WaitGroup } from '../../bridge/messages'
 * @import { UsualDurations } from '../requests/usual-durations'
 */

/** A request this old may be slow. The host reports younger ones to nobody. */
const SLOW_MS = 1000
/** One that takes this many times as long as usual is slow. */
const USUAL_TIMES = 2
/** Bounds for a route that has answered nothing yet: it may take this long by design, if it waits for events. */
const FIRST_MS = 10_000
const FIRST_UNKNOWN_MS = 60_000
/** Most of their time: the share of slow requests that wait for one peer, in two looks in a row. */
const MOST_SHARE = 0.5
const LOOKS = 2
/** What shows that a call has no connection yet. */
const CONNECTING = /connecting|handshake|^DNS/

/**
 * @typedef {object} Tally requests that wait for one peer now
 * @property {string | null} peer null: nothing that is published @property {boolean} isPool
 * @property {number} count @property {number} works those that are not requests @property {number} sure
 * @property {number} unsent @property {number} longestMs @property {Map<string, number>} names
 * @typedef {Tally & { startMs: number, endMs: number }} Waiting
 * @typedef {Waiting & { type: 'opened' | 'ended' }} WaitingEvent `count` of the end: most at a time
 */

/** Decides once a second from slow requests whether most of them wait for the same. */
class WaitingIncident {
  /** @type {Waiting | null} */
  #open = null
  /** @type {{ peer: string | null, looks: number } | null} what most of them waited for in the latest looks */
  #candidate = null
  #missedLooks = 0
  #usual

  /** @param {Pick<UsualDurations, 'of'>} usual */
  constructor (usual) {
    this.#usual = usual
  }

  get current () {
    return this.#open
  }

  /** @param {number} nowMs @param {WaitGroup[]} groups @param {boolean} mayOpen @returns {WaitingEvent | null} */
  see (nowMs, groups, mayOpen) {
    const tallies = this.#talliesOf(groups)
    if (this.#open !== null) return this.#goOn(nowMs, this.#open, tallies.get(this.#open.peer))
    const all = [...tallies.values()].reduce((sum, { count }) => sum + count, 0)
    const top = [...tallies.values()].find(({ count }) => count >= all * MOST_SHARE)
    if (top === undefined || !mayOpen) {
      this.#candidate = null
      return null
    }
    const looks = this.#candidate?.peer === top.peer ? this.#candidate.looks + 1 : 1
    this.#candidate = { peer: top.peer, looks }
    if (looks < LOOKS) return null
    this.#open = { ...top, startMs: nowMs - top.longestMs, endMs: nowMs }
    this.#missedLooks = 0
    return { type: 'opened', ...this.#open }
  }

  /** @param {number} nowMs @param {Waiting} open @param {Tally} [tally] @returns {WaitingEvent | null} */
  #goOn (nowMs, open, tally) {
    if (tally !== undefined) {
      this.#missedLooks = 0
      const count = Math.max(open.count, tally.count)
      const longestMs = Math.max(open.longestMs, tally.longestMs)
      this.#open = { ...open, ...tally, count, longestMs, endMs: nowMs }
      return null
    }
    if (++this.#missedLooks < LOOKS) return null
    this.#open = this.#candidate = null
    return { type: 'ended', ...open }
  }

  /** @param {WaitGroup[]} groups */
  #talliesOf (groups) {
    /** @type {Map<string | null, Tally>} */
    const tallies = new Map()
    for (const group of groups) {
      const { name, isRequest, peer, isPool, isSure, unsent, agesMs, waitsMs } = group
      const boundMs = this.#boundMs(group)
      const slowMs = waitsMs.filter((_, i) => agesMs[i] >= boundMs)
      if (slowMs.length === 0) continue
      const tally = tallies.get(peer) ??
        { peer, isPool, count: 0, works: 0, sure: 0, unsent: 0, longestMs: 0, names: new Map() }
      tallies.set(peer, tally)
      tally.count += slowMs.length
      tally.works += isRequest ? 0 : slowMs.length
      tally.sure += isSure ? slowMs.length : 0
      tally.unsent += unsent
      tally.longestMs = Math.max(tally.longestMs, ...slowMs)
      tally.names.set(name, (tally.names.get(name) ?? 0) + slowMs.length)
    }
    return tallies
  }

  /** The age from which on it is slow. Nobody means a request to wait for a connection. @param {WaitGroup} group */
  #boundMs ({ name, isRequest, isPool, peer }) {
    if (isPool && isRequest) return SLOW_MS
    const { latestMs, beforeMs } = this.#usual.of(name)
    if (beforeMs > 0) return Math.max(SLOW_MS, beforeMs * USUAL_TIMES)
    return Math.max(isRequest && peer !== null ? FIRST_MS : FIRST_UNKNOWN_MS, latestMs * USUAL_TIMES)
  }
}

/**
 * @typedef {object} WaitingDetails what is known of an incident from the host
 * @property {{ inUse: number, limit: number } | null} usage of the pool
 * @property {string | null} place where the application waits
 * @property {[kind: string, count: number][]} open what the process has open
 */

/** Whether the peer is certain. @param {Tally} tally */
exports.isExact = ({ peer, count, sure }) => peer !== null && sure * 2 > count

/** @param {Waiting} waiting @param {boolean} ongoing @param {WaitingDetails} details */
exports.waitingText = (waiting, ongoing, { usage, place, open }) => {
  const { peer, isPool, count, works, unsent, longestMs, names, startMs, endMs } = waiting
  const hasNone = peer !== null && !isPool && unsent * 2 > count
  const who = works === 0 ? counted(count, 'request') : counted(count, 'piece of work', 'pieces of work')
  const verb = ongoing ? `${who} ${count === 1 ? 'is' : 'are'} waiting` : `up to ${who} at a time waited`
  const doubt = peer === null || exports.isExact(waiting) ? '' : ', probably'
  const what = peer === null
    ? 'something that publishes nothing'
    : `${isPool ? 'a connection of the ' : hasNone ? 'a connection for ' : ''}${peer}`
  const lasted = ongoing ? '' : ` for ${duration(endMs - startMs)}`
  const used = usage === null ? '' : `${usage.inUse} of ${usage.limit} in use, `
  const [[name]] = [...names].sort(([, a], [, b]) => b - a)
  const more = names.size > 1 ? ` and ${names.size - 1} more` : ''
  const from = place === null ? '' : `, from ${place}`
  const listed = peer === null || hasNone ? open : open.filter(([kind]) => CONNECTING.test(kind))
  const resources = listed.map(([kind, many]) => countedKind(many, kind)).join(', ')
  const opened = resources && `; open: ${resources}`
  return `${verb}${doubt} for ${what}${lasted} (${used}longest ${duration(longestMs)}), ${name}${more}${from}${opened}`
}

/** "2 sockets to 10.0.0.5:5432", "1 child process". @param {number} count @param {string} kind */
const countedKind = (count, kind) => {
  const [noun, ...rest] = kind.split(/(?= (?:to|in|that) )/)
  return counted(count, noun, noun === 'child process' ? 'child processes' : undefined) + rest.join('')
}

exports.WaitingIncident = WaitingIncident
