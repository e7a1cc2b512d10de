'use strict'

const { EventEmitter } = require('node:events')

// What hardly a worker thread calls is loaded with its first call: the watchdog has threads load this
// at an interrupt, for which the main thread waits. With everything it would be 45 files.

/** Nobody tells it of beats, so there is never any load. */
const makeGauge = () => {
  const { LoopLoad } = require('./shedding/loop-load')
  return { load: new LoopLoad(), counters: { add: () => {} } }
}

/**
 * What start() gives in a worker thread of the application: the same interface without a word of its
 * own. A thread is watched by the watchdog of the main thread's agent, which lays what it needs in
 * the thread on this object (lib/host/workers/thread-entry.js) and has its blocks and metrics.
 * @extends {EventEmitter<{ block: [import('../types').BlockRecord] }>}
 */
class NoopAgent extends EventEmitter {
  contentType = 'text/plain; version=0.0.4; charset=utf-8'
  /**
   * Called by the watchdog, in mid-block. Not for others.
   * @type {ReturnType<typeof import('./sense/probe').createProbe> | undefined}
   */
  probe
  /** Tells the watchdog of this thread. Not for others. @type {(() => void) | undefined} */
  announce
  /** Whether the watchdog has let go of this thread. Not for others. @type {(() => boolean) | undefined} */
  isReleased
  /**
   * Called by the watchdog, where the global `process` has none. Not for others.
   * @type {typeof import('node:process').getBuiltinModule | undefined}
   */
  getBuiltinModule

  constructor () {
    super()
    this.ready = Promise.resolve({ url: /** @type {string | null} */ (null) })
  }

  get fastify () {
    const { createFastifyPlugin } = require('./shedding/fastify-plugin')
    return createFastifyPlugin(makeGauge())
  }

  /**
   * A plain call.
   * @template T
   * @param {string} name
   * @param {() => T} fn
   * @param {Record<string, string | number>} [attributes]
   * @returns {T}
   */
  run (name, fn, attributes) {
    const { attributesOf, checkWork } = require('./work/given')
    checkWork('run', name, fn)
    attributesOf(attributes)
    return fn()
  }

  /** @template {(...args: any[]) => any} F @param {string} name @param {F} fn @returns {F} */
  wrap (name, fn) {
    const { wrapWith } = require('./work/wrap')
    return wrapWith((name, fn) => this.run(name, fn), name, fn)
  }

  /** @returns {Promise<import('../types').BlockRecord[]>} */
  async blocks () {
    return []
  }

  async metrics () {
    return ''
  }

  /** @param {{ seconds: number }} options @returns {Promise<import('./origin/hunt').HuntResult>} */
  hunt (options) {
    const { checkHunt } = require('./origin/hunt')
    checkHunt(options)
    return Promise.resolve({ found: 0, refused: 'origins of the main thread alone are tracked' })
  }

  /** Passes everything on. @param {import('./shedding/options').ShedOptions} [options] */
  middleware (options = {}) {
    const { createMiddleware } = require('./shedding/middleware')
    return createMiddleware(makeGauge(), options)
  }

  /** Nothing is measured in a worker thread: zeros. @returns {import('../types').LoopLoadReport} */
  load () {
    const { noLoad } = require('./sense/load-report')
    return noLoad()
  }

  /** @template T @param {() => T} fn @param {string} reason @returns {T} */
  allow (fn, reason) {
    require('./sense/allowed-calls').checkAllow(fn, reason)
    return fn()
  }

  /** @template T @param {() => T} fn @param {{ overMs?: number }} [options] @returns {Promise<Awaited<T>>} */
  expectNoBlocks (fn, options = {}) {
    return require('./expect-no-blocks').expectNoBlocks(null, fn, options)
  }

  async stop () {}
}

exports.NoopAgent = NoopAgent
