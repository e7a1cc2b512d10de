'use strict'

const { EventEmitter } = require('node:events')
const { checkHunt } = require('./hunt')
const { createFastifyPlugin } = require('./fastify-plugin')
const { Load } = require('./load')
const { createMiddleware } = require('./middleware')

/** Nobody tells it of beats, so there is never any load. */
const gauge = { load: new Load(), counters: { add: () => {} } }

/**
 * What start() gives in a worker thread of the application: the same interface, watching nothing.
 * A thread is watched from the main thread's agent.
 */
class PassiveAgent extends EventEmitter {
  contentType = 'text/plain; version=0.0.4; charset=utf-8'
  fastify = createFastifyPlugin(gauge)

  constructor () {
    super()
    this.ready = Promise.resolve({ url: /** @type {string | null} */ (null) })
  }

  /** @returns {Promise<import('../store/record').BlockRecord[]>} */
  async blocks () {
    return []
  }

  async metrics () {
    return ''
  }

  /** @param {{ seconds: number }} options @returns {Promise<import('./hunt').HuntResult>} */
  hunt (options) {
    checkHunt(options)
    return Promise.resolve({ found: 0, refused: 'a worker thread is not watched' })
  }

  /** Passes everything on. @param {import('./shed-options').ShedOptions} [options] */
  middleware (options = {}) {
    return createMiddleware(gauge, options)
  }

  async stop () {}
}

exports.PassiveAgent = PassiveAgent
