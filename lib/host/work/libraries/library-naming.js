'use strict'

const path = require('node:path')
const { THREAD_WORK } = require('../../../bridge/messages')
const { nowMs } = require('../../../util/clock')
const { likeOriginal } = require('../validate-work')

/**
 * @import { WorkKind } from '../../../types'
 * @import { Works } from '../works'
 */

/**
 * @typedef {{ kind: WorkKind, name: string, isPart?: boolean, isOpen?: boolean }} NamedCall a call of a
 * library. isPart: it belongs to the work in progress. isOpen: its end is unknown, as listeners may be async.
 */

/** Names a library's work where all of it passes. A library that differs from what is expected gets no names. */
class Naming {
  #works
  #post
  /** @type {(() => void)[]} */
  #stops = []
  /** Wrapped functions, and threads of pools that have a name. */
  #wrapped = new WeakSet()

  /** @param {Pick<Works, 'begin' | 'beginThread'>} works @param {(message: object) => void} post */
  constructor (works, post) {
    this.#works = works
    this.#post = post
  }

  /** @param {any} owner @param {string[]} methods @param {(self: any, args: any[]) => NamedCall | null} describe */
  calls (owner, methods, describe) {
    for (const method of methods) {
      this.#wrap(owner, method, (self, args, call) => {
        const named = attempt(() => describe(self, args))
        return named ? this.#works.begin(named, call) : call()
      })
    }
  }

  /** @param {any} owner @param {string[]} methods @param {(self: any, args: any[]) => void} prepare runs before each */
  before (owner, methods, prepare) {
    for (const method of methods) {
      this.#wrap(owner, method, (self, args, call) => {
        attempt(() => prepare(self, args))
        return call()
      })
    }
  }

  /**
   * Returns a function whose every call is a piece of work, or fn if it is one already.
   * @template {(...args: any[]) => any} F @param {F} fn
   * @param {(args: any[]) => NamedCall | null} describe @returns {F}
   */
  named (fn, describe) {
    if (typeof fn !== 'function' || this.#wrapped.has(fn)) return fn
    const works = this.#works
    /** @this {unknown} @param {any[]} args */
    const wrapped = function (...args) {
      const named = attempt(() => describe(args))
      const call = () => Reflect.apply(fn, this, args)
      return named ? works.begin(named, call) : call()
    }
    this.#wrapped.add(wrapped)
    return /** @type {F} */ (/** @type {unknown} */ (wrapped))
  }

  /**
   * @param {any} owner @param {string[]} methods that return the Worker
   * @param {(self: any, args: any[]) => NamedCall | null} describe
   */
  threads (owner, methods, describe) {
    for (const method of methods) {
      this.#wrap(owner, method, (self, args, call) => {
        const worker = call()
        attempt(() => {
          const named = describe(self, args)
          if (named !== null) this.#thread(worker, named)
        })
        return worker
      })
    }
  }

  /**
   * Names the threads of a pool by the file of its tasks. They start at any call, and live on.
   * @param {any} owner @param {string} method
   * @param {(pool: any) => [file: string, workers: import('node:worker_threads').Worker[]]} describe
   */
  pool (owner, method, describe) {
    this.before(owner, [method], (pool) => {
      const [file, workers] = describe(pool)
      for (const worker of workers.filter((each) => !this.#wrapped.has(each))) {
        this.#wrapped.add(worker)
        const what = { kind: 'task', name: path.basename(file), id: '0' }
        this.#post({ code: THREAD_WORK, threadId: worker.threadId, work: { ...what, startedAtMs: nowMs() } })
      }
    })
  }

  /** @param {import('node:worker_threads').Worker} worker @param {NamedCall} named */
  #thread (worker, { kind, name }) {
    const { work, end } = this.#works.beginThread({ kind, name })
    const { id, startedAtMs } = work
    this.#post({
      code: THREAD_WORK,
      threadId: worker.threadId,
      work: { kind, name: work.name, id: `${id}`, startedAtMs }
    })
    // terminate() follows when somebody removes all listeners of the end.
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

/** Null if fn throws, as in a version of the library that keeps something elsewhere. @template T @param {() => T} fn */
function attempt (fn) {
  try {
    return fn()
  } catch {
    return null
  }
}

/**
 * Passes each call of a method through `around`. Name, length, `this`, arguments, results and errors stay the same.
 * @param {any} owner a prototype, or a module's exports @param {string} key
 * @param {(self: any, args: any[], call: () => any) => any} around
 * @returns {(() => void) | null} restores the method; null if there is none, or it cannot be changed
 */
const wrapMethod = (owner, key, around) => {
  const original = owner?.[key]
  const own = Object.getOwnPropertyDescriptor(owner, key)
  const isChangeable = own === undefined ? Object.isExtensible(owner) : own.configurable && 'value' in own
  if (typeof original !== 'function' || !isChangeable) return null
  /** @this {unknown} @param {any[]} args */
  const wrapped = function (...args) {
    return around(this, args, () => Reflect.apply(original, this, args))
  }
  likeOriginal(wrapped, original)
  Object.defineProperty(owner, key, { configurable: true, enumerable: false, writable: true, ...own, value: wrapped })
  return () => {
    // A wrapper of somebody else around ours stays; ours then only passes calls on.
    if (owner[key] !== wrapped) return
    if (own === undefined) delete owner[key]
    else Object.defineProperty(owner, key, own)
  }
}

exports.Naming = Naming
