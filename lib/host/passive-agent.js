'use strict'

const { EventEmitter } = require('node:events')

/**
 * What start() gives in a worker thread of the application: the same interface, watching nothing.
 * A thread is watched from the main thread's agent.
 */
class PassiveAgent extends EventEmitter {
  contentType = 'text/plain; version=0.0.4; charset=utf-8'

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

  async stop () {}
}

exports.PassiveAgent = PassiveAgent
