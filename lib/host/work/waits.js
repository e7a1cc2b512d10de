'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const { WAITS } = require('../../bridge/messages')
const { OTHER } = require('../../tables/limits')
const { PEERS } = require('../../tables/metrics')
const { waits } = require('../../tables/waits')
const { nowMs } = require('../../util/clock')
const { frameOf, noteStack, sitesOf } = require('../sense/call-sites')
const { RequestContext } = require('./http/context')
const { Linked } = require('./open-work')
const { Work } = require('./work')

/**
 * @import { Bridge } from '../../bridge/memory'
 * @import { SlowWork } from '../../bridge/messages'
 * @import { WaitRow } from '../../tables/waits'
 * @import { Frame } from '../../types'
 * @import { Contexts } from './contexts'
 */

/** Open waits with an object each, about 100 bytes. Further ones are only counted. Open requests that are looked at. */
const MOST_OPEN = 10_000
/** Requests, and waits, younger than this are not slow, whatever they wait for. */
const SLOW_MS = 1000
/** Time between two looks, which happen at a beat and wake no loop. */
const LOOK_MS = 1000
/** Open requests that one look names: naming takes 1 us each. */
const MOST_REQUESTS = 1000
/** Stacks are taken this seldom, and only while an incident is open: each takes about 50 us. */
const STACK_MS = 100
/** Libraries put up to this many frames between a channel and the application. */
const FRAMES = 50
/** Ended waits from which on a peer is known, and the share of them that may outlive their requests. */
const LEAST_ENDED = 3
const BACKGROUND_SHARE = 0.1

/** @typedef {RequestContext | Work} Owner */

/** Whom calls wait for. */
class Peer {
  /** Waits without an object of their own. */
  uncounted = 0
  /** Waits that ended within their request, and after it: nobody waited for the latter. */
  within = 0
  outlived = 0
  /** Requests that waited for it for most of their time, less those that did not. */
  explained = 0
  /** Open waits whose request has ended, when it was last looked. */
  orphans = 0
  /** @type {WeakRef<any> | null} the pool of its connections */
  pool = null
  /** @type {Frame[] | null} where a wait of the incident in progress began */
  frames = null

  /** @param {number} number @param {string} name @param {WaitRow} row */
  constructor (number, name, row) {
    this.number = number
    this.name = name
    this.row = row
  }

  /** A request that waited for it has ended. @param {number} waitedMs @param {number} durationMs */
  explains (waitedMs, durationMs) {
    this.explained += waitedMs * 2 >= durationMs ? 1 : -1
  }

  /** Whether calls to it are known to be waited for. A call that is quick as a rule may be made next to other work. */
  get isAwaited () {
    const isMost = this.row.isPool || this.explained >= LEAST_ENDED
    return isMost && this.within >= LEAST_ENDED && this.outlived + this.orphans <= this.within * BACKGROUND_SHARE
  }

  get usage () {
    const pool = this.pool?.deref()
    try {
      const usage = pool === undefined ? null : this.row.usage?.(pool, this.name) ?? null
      return usage !== null && usage.limit > 0 && usage.limit < Infinity ? usage : null
    } catch {
      // Another version of the library.
      return null
    }
  }
}

/** One call that waits. It does not hold what the library publishes, which may be large. */
class Wait {
  isSent = false
  /** @type {Wait | null} */
  older = null
  /** @type {Wait | null} */
  newer = null

  /** @param {Peer} peer @param {Owner | null} owner @param {number} startedAtMs */
  constructor (peer, owner, startedAtMs) {
    this.peer = peer
    this.owner = owner
    this.startedAtMs = startedAtMs
  }
}

/** Whether a request was answered without waiting for a call. @param {Owner | null} owner of a call that is open */
const isLeft = (owner) => owner instanceof RequestContext && owner.isEnded && !owner.isAborted

/**
 * Waits of the application, as Node.js and libraries publish them. Subscribers are called within the application's
 * calls: they throw nothing, and a wait costs one small object.
 */
class Waits {
  #counts
  #names
  #contexts
  #post
  /** @type {WeakMap<object, Wait>} by the subject of the messages */
  #waits = new WeakMap()
  /** @type {Linked<Wait>} */
  #open = new Linked()
  #count = 0
  /** @type {Peer[]} */
  #peers = []
  /** @type {[string, (message: any) => void][]} */
  #subscriptions = []
  #lookAtMs = -Infinity
  #wasSlow = false
  /** @type {string | null | undefined} the peer of the incident in progress, undefined without an incident */
  #incident
  #stackAtMs = -Infinity

  /**
   * @param {Pick<Bridge, 'peers' | 'waits'>} bridge
   * @param {Pick<Contexts, 'store' | 'isFollowing' | 'oldestAtMs' | 'requestsBegunBy'>} contexts
   * @param {(message: object) => void} post to the watchdog
   * @param {boolean} hasAll rows that are opt-in count as well
   */
  constructor (bridge, contexts, post, hasAll = false) {
    this.#counts = bridge.waits
    this.#names = bridge.peers
    this.#contexts = contexts
    this.#post = post
    for (const row of waits.filter(({ isOptIn }) => hasAll || !isOptIn)) {
      /** @type {Map<unknown, Map<unknown, Peer>>} */
      const peers = new Map()
      const peerOf = (/** @type {any} */ subject) => this.#peerOf(row, peers, subject)
      this.#on(row, row.begin, (subject) => this.#begin(row, subject, peerOf))
      if (row.sent) this.#on(row, row.sent, (subject) => this.#sent(subject))
      for (const end of row.ends) this.#on(row, end, (subject) => this.#end(row, subject, peerOf))
    }
  }

  /** @param {WaitRow} row @param {string} channel @param {(subject: any) => void} take */
  #on ({ subject }, channel, take) {
    const onMessage = (/** @type {any} */ message) => {
      try {
        take(subject(message))
      } catch {
        // Another version of the library. An error would end the process, as the channel throws it in the next tick.
      }
    }
    diagnosticsChannel.subscribe(channel, onMessage)
    this.#subscriptions.push([channel, onMessage])
  }

  /** @param {WaitRow} row @param {Map<unknown, Map<unknown, Peer>>} peers of the row @param {any} subject */
  #peerOf (row, peers, subject) {
    const host = row.host(subject)
    const what = row.what(subject)
    const peer = peers.get(host)?.get(what)
    if (peer !== undefined) return peer
    return this.#newPeer(row, peers, host, what, subject)
  }

  /**
   * @param {WaitRow} row @param {Map<unknown, Map<unknown, Peer>>} peers
   * @param {unknown} host @param {unknown} what @param {any} subject
   */
  #newPeer (row, peers, host, what, subject) {
    const named = (/** @type {string} */ name) => this.#peers.find((each) => each.name === name)
    const own = row.name(host, what, subject)
    const name = named(own) !== undefined || this.#peers.length < PEERS ? own : OTHER
    const peer = named(name) ?? new Peer(this.#names.numberOf(name), name, row)
    if (named(name) === undefined) this.#peers.push(peer)
    // Clients may decide whom the application calls: the map has no more hosts than there are names.
    if (name !== OTHER) peers.set(host, (peers.get(host) ?? new Map()).set(what, peer))
    return peer
  }

  /** @param {WaitRow} row @param {any} subject @param {(subject: any) => Peer} peerOf */
  #begin (row, subject, peerOf) {
    if (row.isIdle?.(subject)) return
    const peer = peerOf(subject)
    this.#counts.begin(peer.number)
    if (this.#count >= MOST_OPEN) {
      peer.uncounted++
      return
    }
    const now = nowMs()
    const wait = new Wait(peer, this.#owner, now)
    this.#waits.set(subject, wait)
    this.#open.add(wait)
    this.#count++
    this.#notePool(row, peer, subject)
    if (peer.name === this.#incident && now - this.#stackAtMs >= STACK_MS) this.#noteFrames(peer, now)
  }

  /** The request or the work that the running code is part of, null if that has ended. */
  get #owner () {
    const { store } = this.#contexts
    const inner = store && 'latest' in store ? store.latest : store
    const owner = inner instanceof Work ? inner.request ?? inner : inner
    return owner === undefined || owner?.request === null ? null : owner
  }

  /** @param {any} subject */
  #sent (subject) {
    const wait = this.#waits.get(subject)
    if (wait !== undefined) wait.isSent = true
  }

  /** @param {WaitRow} row @param {any} subject @param {(subject: any) => Peer} peerOf */
  #end (row, subject, peerOf) {
    const wait = this.#waits.get(subject)
    if (wait === undefined) {
      // It ended before, or it has no object, or it began before this subscription.
      const peer = peerOf(subject)
      if (peer.uncounted === 0) return
      peer.uncounted--
      return this.#counts.end(peer.number, NaN)
    }
    const { peer, owner } = wait
    this.#waits.delete(subject)
    this.#open.remove(wait)
    this.#count--
    const waitedMs = nowMs() - wait.startedAtMs
    this.#counts.end(peer.number, waitedMs)
    this.#notePool(row, peer, subject)
    if (isLeft(owner)) peer.outlived++
    if (!(owner instanceof RequestContext) || owner.isEnded) return
    peer.within++
    if (owner.waitedFor === peer) owner.waitedMs += waitedMs
    else if (waitedMs > owner.waitedMs) {
      owner.waitedFor = peer
      owner.waitedMs = waitedMs
    }
  }

  /** @param {WaitRow} row @param {Peer} peer @param {any} subject */
  #notePool (row, peer, subject) {
    if (peer.pool !== null || row.pool === undefined) return
    const pool = row.pool(subject)
    if (typeof pool === 'object' && pool !== null) peer.pool = new WeakRef(pool)
  }

  /** @param {Peer} peer @param {number} now */
  #noteFrames (peer, now) {
    this.#stackAtMs = now
    peer.frames = sitesOf(noteStack(this.#noteFrames, FRAMES)).map(frameOf)
  }

  /** Looks once a second what slow requests wait for, if there are any. @param {number} atMs of a beat */
  beat (atMs) {
    if (atMs - this.#lookAtMs < LOOK_MS) return
    this.#lookAtMs = atMs
    const untilMs = atMs - SLOW_MS
    const isSlow = this.#contexts.oldestAtMs <= untilMs || (this.#open.oldest?.startedAtMs ?? Infinity) <= untilMs
    if (isSlow || this.#wasSlow) this.#report(atMs)
  }

  /** @param {number} atMs @param {object} [more] */
  #report (atMs, more) {
    try {
      const slow = this.#slow(atMs)
      const peer = this.#peers.find(({ name }) => name === this.#incident)
      const wasSlow = this.#wasSlow
      this.#wasSlow = slow.length > 0
      if (!wasSlow && !this.#wasSlow) return
      this.#post({ code: WAITS, slow, usage: peer?.usage, frames: peer?.frames, ...more })
    } catch {
      // The application has changed an object that names a request.
    }
  }

  /** Requests and work that are slow, with what each waits for. @param {number} atMs @returns {SlowWork[]} */
  #slow (atMs) {
    const untilMs = atMs - SLOW_MS
    const requests = this.#contexts.requestsBegunBy(untilMs, MOST_OPEN).filter((each) => each.isUnanswered)
      .slice(0, MOST_REQUESTS)
    /** @type {Map<Owner | null, Wait[]>} */
    const owners = new Map(requests.map((request) => [request, []]))
    for (const peer of this.#peers) peer.orphans = 0
    const waits = this.#open.begunBy(Infinity, MOST_OPEN)
    for (const wait of waits) {
      const { owner, peer } = wait
      if (isLeft(owner)) peer.orphans++
      if (owner instanceof Work && owner.startedAtMs <= untilMs && !owner.isEnded && !owners.has(owner)) {
        owners.set(owner, [])
      }
      owners.get(owner)?.push(wait)
    }
    // Where requests are not followed, a call without an owner may be that of any.
    const unowned = this.#contexts.isFollowing ? undefined : waits.find(({ owner }) => owner === null)
    return [...owners].flatMap(([owner, own]) => {
      const wait = own.find(({ peer }) => peer.row.isPool) ?? own[0] ?? unowned
      const isRequest = owner instanceof RequestContext
      if (owner === null || (isRequest && wait === undefined && owner.isIncomplete)) return []
      const { name = null, row = null, isAwaited = false } = wait?.peer ?? {}
      const isPool = row?.isPool === true
      return {
        name: isRequest ? `${owner.method} ${owner.template}` : `${owner.kind} ${owner.name}`,
        isRequest,
        peer: name,
        isPool,
        isSure: wait !== unowned && isAwaited && (isPool || own.every(({ peer }) => peer === wait?.peer)),
        isUnsent: wait !== undefined && row?.sent !== undefined && !wait.isSent,
        ageMs: atMs - owner.startedAtMs,
        waitMs: Math.max(0, atMs - (wait ?? owner).startedAtMs)
      }
    })
  }

  /** An incident begins, or ends. @param {{ peer: string | null, isOpen: boolean }} message */
  watch ({ peer, isOpen }) {
    this.#incident = isOpen ? peer : undefined
    for (const each of this.#peers) each.frames = null
    if (isOpen) this.#report(nowMs(), { open: require('./open-resources').openResources() })
  }

  stop () {
    for (const [channel, onMessage] of this.#subscriptions) diagnosticsChannel.unsubscribe(channel, onMessage)
    this.#lookAtMs = Infinity
  }
}

/** Used instead if waits are not monitored. */
exports.noWaits = { beat: () => {}, watch: () => {}, stop: () => {} }

exports.Peer = Peer
exports.Waits = Waits
