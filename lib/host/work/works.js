'use strict'

const { isPromise } = require('node:util/types')
const { packWork } = require('../../bridge/request-row')
const { StringTable } = require('../../bridge/string-table')
const { nowMs } = require('../../util/clock')
const { RequestContext } = require('./http/context')
const { attributesOf, checkWork } = require('./validate-work')
const { Work } = require('./work')

// Bound at load: the application may have given its promises another one.
const then = Promise.prototype.then

/**
 * Named work that is no HTTP request. Each finished piece is a row in the ring, and each one open is what the probe
 * reads in mid-block.
 */
class Works {
  #bridge
  #contexts
  #most
  #requests
  #named = 0
  #inFlight = 0
  #isStopped = false

  /**
   * @param {import('../../bridge/memory').Bridge} bridge
   * @param {import('./contexts').Contexts} contexts
   * @param {Pick<import('./http/requests').Requests, 'current'>} requests
   * @param {number} [most] names that are counted under their own
   */
  constructor (bridge, contexts, requests, most = Infinity) {
    this.#bridge = bridge
    this.#contexts = contexts
    this.#requests = requests
    this.#most = most
  }

  /**
   * Runs a function as a named piece of work, as the application wants it.
   * @template T
   * @param {string} name
   * @param {() => T} fn
   * @param {Record<string, string | number>} [attributes]
   * @returns {T}
   * @throws {import('../../tables/errors').LoopwatchError} LOOPWATCH_ERR_ARGUMENT; and what fn throws
   */
  run (name, fn, attributes) {
    checkWork('run', name, fn)
    const kept = attributesOf(attributes)
    if (this.#isStopped) return fn()
    this.#contexts.hold()
    return this.#work(new Work(this.#contexts.nextId(), 'task', name, this.#parent, nowMs(), kept), fn)
  }

  /**
   * The same for what a library is known to run. It is followed where requests are: nobody has asked for it. Unless it
   * is part of what is being worked on it begins again, wherever the library was set up.
   * @template T
   * @param {import('./libraries/library-naming').Known} known
   * @param {() => T} fn
   * @returns {T}
   */
  begin ({ kind, name, isPart = false, isOpen = false }, fn) {
    if (this.#isStopped) return fn()
    const work = new Work(this.#contexts.nextId(), kind, name, isPart ? this.#parent : null, nowMs())
    // What it is part of is open as well.
    if (!isPart) this.#contexts.opened(work)
    return this.#work(work, fn, isOpen)
  }

  /**
   * Work that a thread of its own does: nothing of this thread is part of it.
   * @param {Pick<import('./libraries/library-naming').Known, 'kind' | 'name'>} known
   */
  beginThread ({ kind, name }) {
    const work = new Work(this.#contexts.nextId(), kind, name, null, nowMs())
    this.#bridge.counters.setWorkInFlight(++this.#inFlight)
    return { work, end: () => this.#end(work, { hasThread: true }) }
  }

  /** What is being worked on, as the parent of what begins. @returns {Work | RequestContext | null} */
  get #parent () {
    const { store } = this.#contexts
    if (store === undefined) return null
    return store instanceof Work || store instanceof RequestContext ? store : store.latest
  }

  /**
   * @template T
   * @param {Work} work
   * @param {() => T} fn
   * @param {boolean} [isOpen] it may go on when fn has returned
   * @returns {T}
   */
  #work (work, fn, isOpen = false) {
    const { counters } = this.#bridge
    counters.setWorkInFlight(++this.#inFlight)
    let result
    try {
      result = this.#contexts.run(work, fn)
    } catch (error) {
      this.#end(work)
      throw error
    }
    if (!isPromise(result)) {
      this.#end(work, { isOpen })
      return result
    }
    // What the application gets rejects like its own: were ours a branch beside it, one of the two would go unhandled.
    return /** @type {any} */ (Reflect.apply(then, result, [
      (/** @type {unknown} */ value) => {
        this.#end(work)
        return value
      },
      (/** @type {unknown} */ error) => {
        this.#end(work)
        throw error
      }
    ]))
  }

  /** @param {Work} work @param {{ isOpen?: boolean, hasThread?: boolean }} [how] */
  #end (work, { isOpen = false, hasThread = false } = {}) {
    if (!isOpen) work.end()
    this.#contexts.closed(work)
    if (this.#isStopped) return
    const { works, counters } = this.#bridge
    counters.setWorkInFlight(--this.#inFlight)
    const { id, startedAtMs, kind, name } = work
    works.push(packWork(this.#numberOf(name), kind, hasThread), startedAtMs, nowMs() - startedAtMs, id)
  }

  /** @param {string} name */
  #numberOf (name) {
    const { workNames } = this.#bridge
    const known = workNames.find(name)
    if (known !== undefined) return known
    if (this.#named >= this.#most) return StringTable.NONE
    this.#named++
    return workNames.numberOf(name)
  }

  /**
   * What is being worked on, for the probe.
   * @returns {ReturnType<import('./http/requests').Requests['current']> & { work?: Work,
   * open?: ReadonlySet<RequestContext | Work>, newest?: RequestContext[] }} `open`: one of these may be it, where
   * nothing else tells; `newest` of the open requests
   */
  current () {
    const { store, unfollowed, newest } = this.#contexts
    if (store instanceof Work) return { context: store.request, isCertain: true, work: store, newest }
    const current = { ...this.#requests.current(), newest }
    return store === undefined && unfollowed.size > 0 ? { ...current, open: unfollowed } : current
  }

  /** Whether requests and work are followed through asynchronous work from now on. @param {boolean} on */
  follow (on) {
    this.#contexts.follow(on)
  }

  get isFollowing () {
    return this.#contexts.isFollowing
  }

  stop () {
    this.#isStopped = true
    this.#contexts.stop()
  }
}

exports.Works = Works
