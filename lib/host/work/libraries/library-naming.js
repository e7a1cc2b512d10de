'use strict'

const { THREAD_WORK } = require('../../../bridge/messages')
const { wrapMethod } = require('./wrapped-method')

/**
 * @typedef {object} Known what a call of a library is
 * @property {import('../work').WorkKind} kind
 * @property {string} name
 * @property {boolean} [isPart] of what is being worked on
 * @property {boolean} [isOpen] nobody tells when it is over: listeners may be asynchronous
 */

/** Where a library's work goes through, it gets its name. None of it may harm the library: what fails names nothing. */
class Naming {
  #works
  #post
  /** @type {(() => void)[]} */
  #stops = []
  /** Functions that name their calls already. */
  #named = new WeakSet()

  /**
   * @param {Pick<import('../works').Works, 'begin' | 'beginThread'>} works
   * @param {(message: object) => void} post to the watchdog
   */
  constructor (works, post) {
    this.#works = works
    this.#post = post
  }

  /**
   * Each call of these methods is a piece of work.
   * @param {any} owner a prototype, or a module's exports
   * @param {string[]} methods
   * @param {(self: any, args: any[]) => Known | null} describe null where this call is none
   */
  calls (owner, methods, describe) {
    for (const method of methods) {
      this.#wrap(owner, method, (self, args, call) => {
        const known = attempt(() => describe(self, args))
        return known ? this.#works.begin(known, call) : call()
      })
    }
  }

  /**
   * Something is done before each call of these methods.
   * @param {any} owner
   * @param {string[]} methods
   * @param {(self: any, args: any[]) => void} prepare
   */
  before (owner, methods, prepare) {
    for (const method of methods) {
      this.#wrap(owner, method, (self, args, call) => {
        attempt(() => prepare(self, args))
        return call()
      })
    }
  }

  /**
   * A function whose calls are work each; one of these is given back as it is.
   * @template {(...args: any[]) => any} F
   * @param {F} fn
   * @param {(args: any[]) => Known | null} describe
   * @returns {F}
   */
  named (fn, describe) {
    if (typeof fn !== 'function' || this.#named.has(fn)) return fn
    const works = this.#works
    /** @this {unknown} @param {any[]} args */
    const named = function (...args) {
      const known = attempt(() => describe(args))
      const call = () => Reflect.apply(fn, this, args)
      return known ? works.begin(known, call) : call()
    }
    this.#named.add(named)
    return /** @type {F} */ (/** @type {unknown} */ (named))
  }

  /**
   * All that a worker thread does is one piece of work, which these methods begin: they return the Worker.
   * @param {any} owner
   * @param {string[]} methods
   * @param {(self: any, args: any[]) => Known | null} describe
   */
  threads (owner, methods, describe) {
    for (const method of methods) {
      this.#wrap(owner, method, (self, args, call) => {
        const worker = call()
        attempt(() => {
          const known = describe(self, args)
          if (known !== null) this.#thread(worker, known)
        })
        return worker
      })
    }
  }

  /** @param {import('node:worker_threads').Worker} worker @param {Known} known */
  #thread (worker, { kind, name }) {
    const { work, end } = this.#works.beginThread({ kind, name })
    const { id, startedAtMs } = work
    this.#post({ code: THREAD_WORK, threadId: worker.threadId, work: { kind, name: work.name, id: `${id}`, startedAtMs } })
    // Removing all listeners of its end is a sign of the end by itself: terminate() follows.
    const onRemoved = (/** @type {string | symbol} */ _, /** @type {unknown} */ listener) => {
      if (listener === onExit) onExit()
    }
    const onExit = () => {
      worker.off('removeListener', onRemoved)
      worker.off('exit', onExit)
      end()
    }
    worker.on('removeListener', onRemoved)
    worker.on('exit', onExit)
  }

  /** @param {any} owner @param {string} method @param {Parameters<typeof wrapMethod>[2]} around */
  #wrap (owner, method, around) {
    const stop = wrapMethod(owner, method, around)
    if (stop) this.#stops.push(stop)
  }

  stop () {
    for (const stop of this.#stops.splice(0)) stop()
  }
}

/**
 * @template T
 * @param {() => T} fn
 * @returns {T | null} null where what it reads is not where this version of the library has it
 */
function attempt (fn) {
  try {
    return fn()
  } catch {
    return null
  }
}

exports.Naming = Naming
