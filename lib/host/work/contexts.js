'use strict'

const { AsyncLocalStorage } = require('node:async_hooks')
const { nowMs } = require('../../util/clock')
const { OpenWork } = require('./open-work')

/**
 * @import { Connection } from './http/connections'
 * @import { RequestContext } from './http/context'
 * @import { Work } from './work'
 */

/** At most this many that were not followed are kept, the oldest ones: clients decide how many there are. */
const MOST_UNFOLLOWED = 1000
/** Work that was open when following began may go on for this long. Work open for longer is mostly a waiting stream. */
const UNFOLLOWED_MS = 10000

/** The probe reports this many open requests: the running handler may belong to another one than the context says. */
const MOST_TOLD = 20

/** @typedef {RequestContext | Connection | Work} Store */

/** @type {ReadonlySet<any>} */
const none = new Set()

/** The one place that knows what is being worked on, through awaits, timers and listeners: requests and named work. */
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

  /** Unique within the process. */
  nextId () {
    return ++this.#lastId
  }

  /** The work in progress, if that is followed. */
  get store () {
    return this.isFollowing ? this.#storage.getStore() : undefined
  }

  /** Work that may be running if `store` does not say, oldest first. @returns {ReadonlySet<RequestContext | Work>} */
  get unfollowed () {
    return this.isFollowing && this.#now() - this.#followedAtMs > UNFOLLOWED_MS ? none : this.#unfollowed
  }

  get newest () {
    return this.#open.requests(MOST_TOLD)
  }

  /** @param {RequestContext | Work} store */
  opened (store) {
    this.#open.add(store)
    if (!this.isFollowing && this.#unfollowed.size < MOST_UNFOLLOWED) this.#unfollowed.add(store)
  }

  /** @param {RequestContext | Work} store */
  closed (store) {
    this.#open.remove(store)
    // Mostly empty, and a search in an empty Set still takes 1% of a small request.
    if (this.#unfollowed.size > 0) this.#unfollowed.delete(store)
  }

  /** Code that runs from here on is part of it, until something else is entered. @param {Store} store */
  enter (store) {
    if (this.isFollowing) this.#storage.enterWith(store)
  }

  /** @template T @param {Store} store what fn is part of @param {() => T} fn @returns {T} */
  run (store, fn) {
    return this.isFollowing ? this.#storage.run(store, fn) : fn()
  }

  /** The application names work itself: from now on work is followed wherever that is safe, whatever it costs. */
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
    // Any of what is open may be what runs from here on.
    if (wasFollowing) for (const store of this.#open.newest(MOST_UNFOLLOWED).reverse()) this.#unfollowed.add(store)
  }

  stop () {
    this.#isStopped = true
    this.follow(false)
    this.#unfollowed.clear()
  }
}

exports.Contexts = Contexts
