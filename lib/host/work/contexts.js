'use strict'

const { AsyncLocalStorage } = require('node:async_hooks')
const { nowMs } = require('../../util/clock')
const { OpenWork } = require('./open-work')

/** So many are kept that nobody follows, the oldest: their number is the client's. */
const MOST_UNFOLLOWED = 1000
/**
 * What was open when following began may run for so long after that. What is open for longer is mostly a stream that
 * waits.
 */
const UNFOLLOWED_MS = 10000

/** So much of what is open the probe tells of: the handler that runs may be another's than the context says. */
const MOST_TOLD = 20

/** @typedef {import('./http/context').RequestContext} RequestContext */
/** @typedef {import('./http/connections').Connection} Connection */
/** @typedef {import('./work').Work} Work */
/** @typedef {RequestContext | Connection | Work} Store */

/** @type {ReadonlySet<any>} */
const none = new Set()

/**
 * The one place where it is kept what is being worked on, through awaits, timers and listeners: requests and named
 * work alike.
 */
class Contexts {
  /** @type {AsyncLocalStorage<Store>} */
  #storage = new AsyncLocalStorage()
  #lastId = 0
  #isHeld = false
  #isStopped = false
  #mayFollow
  #now
  #followedAtMs = -Infinity
  /** What was open while nothing was followed, oldest first. @type {Set<RequestContext | Work>} */
  #unfollowed = new Set()
  #open = new OpenWork()
  isFollowing = false

  /**
   * @param {boolean} [mayFollow] false where AsyncLocalStorage could end the application (CVE-2025-59466)
   * @param {() => number} [now] ms
   */
  constructor (mayFollow = true, now = nowMs) {
    this.#mayFollow = mayFollow
    this.#now = now
  }

  /** Unique within the process, of requests and work. */
  nextId () {
    return ++this.#lastId
  }

  /** What is being worked on. @returns {Store | undefined} */
  get store () {
    return this.isFollowing ? this.#storage.getStore() : undefined
  }

  /** What may be running where `store` does not tell, oldest first. @returns {ReadonlySet<RequestContext | Work>} */
  get unfollowed () {
    return this.isFollowing && this.#now() - this.#followedAtMs > UNFOLLOWED_MS ? none : this.#unfollowed
  }

  /** The newest open requests, newest first. */
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
    this.#unfollowed.delete(store)
  }

  /** What runs from here on is part of it, until something else is entered. @param {Store} store */
  enter (store) {
    if (this.isFollowing) this.#storage.enterWith(store)
  }

  /**
   * @template T
   * @param {Store} store what fn is part of
   * @param {() => T} fn
   * @returns {T}
   */
  run (store, fn) {
    return this.isFollowing ? this.#storage.run(store, fn) : fn()
  }

  /** The application names work itself: that is followed wherever it may be, whatever it costs. */
  hold () {
    if (this.#isHeld || !this.#mayFollow) return
    this.#isHeld = true
    this.follow(true)
  }

  /** Whether work is followed from now on. @param {boolean} on */
  follow (on) {
    const wasFollowing = this.isFollowing
    // The watchdog may ask for it while it is being stopped itself.
    this.isFollowing = (on || this.#isHeld) && !this.#isStopped
    if (this.isFollowing && !wasFollowing) this.#followedAtMs = this.#now()
    if (this.isFollowing) return
    this.#storage.disable()
    // All that is open may be what runs from here on.
    if (wasFollowing) for (const store of this.#open.newest(MOST_UNFOLLOWED).reverse()) this.#unfollowed.add(store)
  }

  stop () {
    this.#isStopped = true
    this.follow(false)
    this.#unfollowed.clear()
  }
}

exports.Contexts = Contexts
