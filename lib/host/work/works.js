'use strict'

const { isPromise } = require('node:util/types')
const { packWork } = require('../../bridge/request-row')
const { StringTable } = require('../../bridge/string-table')
const { nowMs } = require('../../util/clock')
const { Contexts } = require('./contexts')
const { RequestContext } = require('./http/context')
const { Requests, noRequests } = require('./http/requests')
const { WaitingRequests } = require('./http/waiting-requests')
const { startLibraries } = require('./libraries')
const { attributesOf, checkWork } = require('./validate-work')
const { noWaits, Waits } = require('./waits')
const { Work } = require('./work')

/**
 * @import { Bridge } from '../../bridge/memory'
 * @import { ResolvedOptions } from '../../options/table'
 * @import { NamedCall } from './libraries/library-naming'
 * @import { Server } from 'node:net'
 */

/** Assumed duration of a message whose listeners may be async, as nothing shows when they end. */
const OPEN_MS = 10_000

// An application may replace the method, so it is bound at load.
const then = Promise.prototype.then

/** Named work that is not an HTTP request. A finished piece is a row in the ring; the probe reads open ones. */
class Works {
  #bridge
  #contexts
  #most
  #requests
  #named = 0
  #inFlight = 0
  #isStopped = false

  /**
   * @param {Bridge} bridge @param {Contexts} contexts
   * @param {Pick<Requests, 'current'>} requests @param {number} [most] names with own counts
   */
  constructor (bridge, contexts, requests, most = Infinity) {
    this.#bridge = bridge
    this.#contexts = contexts
    this.#requests = requests
    this.#most = most
  }

  /** @template T @param {string} name @param {() => T} fn @param {Record<string, string | number>} [attributes] */
  run (name, fn, attributes) {
    checkWork('run', name, fn)
    const kept = attributesOf(attributes)
    if (this.#isStopped) return fn()
    this.#contexts.hold()
    return this.#work(new Work(this.#contexts.nextId(), 'task', name, this.#parent, nowMs(), kept), fn)
  }

  /**
   * Like run(), for a call of a library. The application has not named it, so it is followed only where requests are.
   * Unless it is part of the work in progress it has no parent, wherever the library was set up.
   * @template T @param {NamedCall} named @param {() => T} fn
   */
  begin ({ kind, name, isPart = false, isOpen = false }, fn) {
    if (this.#isStopped) return fn()
    const work = new Work(this.#contexts.nextId(), kind, name, isPart ? this.#parent : null, nowMs())
    // A part belongs to open work.
    if (!isPart) this.#contexts.opened(work)
    return this.#work(work, fn, isOpen)
  }

  /** Work of a worker thread. @param {Pick<NamedCall, 'kind' | 'name'>} named */
  beginThread ({ kind, name }) {
    const work = new Work(this.#contexts.nextId(), kind, name, null, nowMs())
    this.#bridge.counters.setWorkInFlight(++this.#inFlight)
    return { work, end: () => this.#end(work, { hasThread: true }) }
  }

  /** Whether there is or was work with a name. */
  get hasWorked () {
    return this.#inFlight + this.#named > 0
  }

  /** The parent of new work. @returns {Work | RequestContext | null} */
  get #parent () {
    const { store } = this.#contexts
    if (store === undefined) return null
    return store instanceof Work || store instanceof RequestContext ? store : store.latest
  }

  /** @template T @param {Work} work @param {() => T} fn @param {boolean} [isOpen] it may outlast fn @returns {T} */
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
    // The application gets our promise. If ours branched off its own, one of the two would reject unhandled.
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
    work.end(isOpen ? OPEN_MS : 0)
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
    const number = workNames.find(name)
    if (number !== undefined) return number
    if (this.#named >= this.#most) return StringTable.NONE
    this.#named++
    return workNames.numberOf(name)
  }

  /**
   * The work in progress, for the probe. Without another sign it may be one of `open`. `newest` are requests.
   * @returns {ReturnType<Requests['current']> & { work?: Work,
   * open?: ReadonlySet<RequestContext | Work>, newest?: RequestContext[] }}
   */
  current () {
    const { store, unfollowed, newest } = this.#contexts
    if (store instanceof Work) return { context: store.request, isCertain: true, work: store, newest }
    const current = { ...this.#requests.current(), newest }
    return store === undefined && unfollowed.size > 0 ? { ...current, open: unfollowed } : current
  }

  /** @param {boolean} on through asynchronous calls from now on */
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

const noLibraries = { stop: () => {} }

/**
 * @param {ResolvedOptions} options @param {Bridge} bridge @param {(message: object) => void} post to the watchdog
 * @param {ReturnType<typeof import('./lazy-work-tracking').waysToFollow>} ways
 * @param {Server[]} listening servers that listen already
 */
exports.startWork = (options, bridge, post, { isSafe, isUnsafe, escalates }, listening) => {
  const contexts = new Contexts(options.requests === 'on' || isSafe)
  const waiting = new WaitingRequests(post, options.otlp !== false)
  const requests = options.requests === 'off' ? noRequests : new Requests(bridge, options, contexts, waiting, listening)
  const works = new Works(bridge, contexts, requests, options.routes)
  if (!isUnsafe && !escalates) contexts.follow(true)
  const libraries = options.requests === 'off' ? noLibraries : startLibraries(works, post)
  const waits = options.waits === 'off' ? noWaits : new Waits(bridge, contexts, post, options.waits === 'all')
  const stop = () => [requests, works, libraries, waits].forEach((part) => part.stop())
  return { requests, works, waits, stop }
}

exports.Works = Works
