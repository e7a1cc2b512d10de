'use strict'

const { EventEmitter } = require('node:events')

/**
 * @import { BlockRecord, LoopLoadReport, SlowIncident } from '../types'
 * @import { HuntResult } from './origin/hunt'
 * @import { ShedOptions } from './shedding/options'
 */

// Methods that worker threads hardly ever call load their modules when they are called: 45 files in all.

/** A gauge that never shows load, as there are no beats. */
const makeGauge = () => {
  const { LoopLoad } = require('./shedding/loop-load')
  return { load: new LoopLoad(), counters: { add: () => {} } }
}

/**
 * The interface of an agent where nothing can be watched. In a worker thread of the application, the main thread's
 * agent has the thread's blocks and metrics.
 * @extends {EventEmitter<{ block: [BlockRecord], slow: [SlowIncident] }>}
 */
class NoopAgent extends EventEmitter {
  contentType = 'text/plain; version=0.0.4; charset=utf-8'

  constructor () {
    super()
    this.ready = Promise.resolve({ url: /** @type {string | null} */ (null) })
  }

  get fastify () {
    return require('./shedding/fastify-plugin').createFastifyPlugin(makeGauge())
  }

  /** @template T @param {string} name @param {() => T} fn @param {Record<string, string | number>} [attributes] */
  run (name, fn, attributes) {
    return require('./work/validate-work').runUnwatched(name, fn, attributes)
  }

  /** @template {(...args: any[]) => any} F @param {string} name @param {F} fn @returns {F} */
  wrap (name, fn) {
    return require('./work/validate-work').wrapWith((name, fn) => this.run(name, fn), name, fn)
  }

  /** @returns {Promise<BlockRecord[]>} */
  async blocks () {
    return []
  }

  async metrics () {
    return ''
  }

  /** @param {{ seconds: number }} options @returns {Promise<HuntResult>} */
  hunt (options) {
    require('./origin/hunt').checkHunt(options)
    return Promise.resolve({ found: 0, refused: 'origins are tracked on the main thread only' })
  }

  /** Passes every request on. @param {ShedOptions} [options] */
  middleware (options = {}) {
    return require('./shedding/middleware').createMiddleware(makeGauge(), options)
  }

  /** Zeros, as nothing is measured here. @returns {LoopLoadReport} */
  load () {
    return require('./sense/load-report').noLoad()
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

  async flush () {}

  async stop () {}
}

exports.NoopAgent = NoopAgent
