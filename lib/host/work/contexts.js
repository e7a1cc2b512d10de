'use strict'

const { AsyncLocalStorage } = require('node:async_hooks')
const { nowMs } = require('../../util/clock')
const { OpenWork } = require('./open-work')

/**
 * @import { Connection } from './http/connections'
 * @import { RequestContext } from './http/context'
 * @import { Work } from './work'
 */

/** Limit for open work that is not followed, as clients decide how much there is. The oldest is kept. */
const MOST_UNFOLLOWED = 1000
/** Work that was open when following began may run for this long. Older work is mostly a waiting stream. */
const UNFOLLOWED_MS = 10000

/** Open requests that the probe reports, as the running handler may belong to another one than the context says. */
const MOST_REPORTED = 20

/** @typedef {RequestContext | Connection | Work} Store */

/** @type {ReadonlySet<any>} */
const none = new Set()

/** The requests and the named work in progress, followed through awaits, timers and listeners. */
class Contexts {
  /** @type {AsyncLocalStorage<Store>} */
  #storage = new AsyncLocalStorage()
  #lastId = 0
  #isHeld = false
  #isStopped = false
  #mayFollow
  #now
  #followedAtMs = -Infinity
  /** Work that was open while nothing was followed, oldest first. @type {Set<RequestContext | Work>} */
  #unfollowed = new Set()
  #open = new OpenWork()
  isFollowing = false

  /** @param {boolean} [mayFollow] false if it could end the process (CVE-2025-59466) @param {() => number} [now] ms */
  constructor (mayFollow = true, now = nowMs) {
    this.#mayFollow = mayFollow
    this.#now = now
  }

  /** A number that is unique within the process. */
  nextId () {
    return ++this.#lastId
  }

  /** The work in progress, undefined if it is not followed. */
  get store () {
    return this.isFollowing ? this.#storage.getStore() : undefined
  }

  /** Work that may be running if `store` is undefined, oldest first. @returns {ReadonlySet<RequestContext | Work>} */
  get unfollowed () {
    return this.isFollowing && this.#now() - this.#followedAtMs > UNFOLLOWED_MS ? none : this.#unfollowed
  }

  get newest () {
    return this.#open.requests(MOST_REPORTED)
  }

  /** When the oldest open work began, Infinity if there is none. */
  get oldestAtMs () {
    return this.#open.oldest?.startedAtMs ?? Infinity
  }

  /** Open requests, oldest first. @param {number} untilMs @param {number} most @returns {RequestContext[]} */
  requestsBegunBy (untilMs, most) {
    return this.#open.begunBy(untilMs, most).flatMap((item) => 'kind' in item ? [] : [item])
  }

  /** @param {RequestContext | Work} store */
  opened (store) {
    this.#open.add(store)
    if (!this.isFollowing && this.#unfollowed.size < MOST_UNFOLLOWED) this.#unfollowed.add(store)
  }

  /** @param {RequestContext | Work} store */
  closed (store) {
    this.#open.remove(store)
    // Searching an empty Set takes 1% of a small request.
    if (this.#unfollowed.size > 0) this.#unfollowed.delete(store)
  }

  /** Code that runs from here on is part of `store`, until something else is entered. @param {Store} store */
  enter (store) {
    if (this.isFollowing) this.#storage.enterWith(store)
  }

  /** @template T @param {Store} store what fn is part of @param {() => T} fn @returns {T} */
  run (store, fn) {
    return this.isFollowing ? this.#storage.run(store, fn) : fn()
  }

  /** Follows work from now on wherever that is safe, whatever it costs: the application names work itself. */
  hold () {
    if (this.#isHeld || !this.#mayFollow) return
    this.#isHeld = true
    this.follow(true)
  }

  /** @param {boolean} on from now on */
  follow (on) {
    const wasFollowing = this.isFollowing
    // The watchdog may request this while it is being stopped itself.
    this.isFollowing = (on || this.#isHeld) && !this.#isStopped
    if (this.isFollowing && !wasFollowing) this.#followedAtMs = this.#now()
    if (this.isFollowing) return
    this.#storage.disable()
    // Any open work may run from here on.
    if (wasFollowing) for (const store of this.#open.newest(MOST_UNFOLLOWED).reverse()) this.#unfollowed.add(store)
  }

  stop () {
    this.#isStopped = true
    this.follow(false)
    this.#unfollowed.clear()
  }
}

exports.Contexts = Contexts
