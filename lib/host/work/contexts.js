'use strict'

const { AsyncLocalStorage } = require('node:async_hooks')

/** @typedef {import('../http/context').RequestContext} RequestContext */
/** @typedef {import('../http/connections').Connection} Connection */
/** @typedef {import('./work').Work} Work */
/** @typedef {RequestContext | Connection | Work} Store */

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
  isFollowing = false

  /** @param {boolean} [mayFollow] false where AsyncLocalStorage could end the application (CVE-2025-59466) */
  constructor (mayFollow = true) {
    this.#mayFollow = mayFollow
  }

  /** Unique within the process, of requests and work. */
  nextId () {
    return ++this.#lastId
  }

  /** What is being worked on. @returns {Store | undefined} */
  get store () {
    return this.isFollowing ? this.#storage.getStore() : undefined
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
    // The watchdog may ask for it while it is being stopped itself.
    this.isFollowing = (on || this.#isHeld) && !this.#isStopped
    if (!this.isFollowing) this.#storage.disable()
  }

  stop () {
    this.#isStopped = true
    this.follow(false)
  }
}

exports.Contexts = Contexts
