'use strict'

const { EventEmitter } = require('node:events')

/**
 * What start() gives in a worker thread of the application: the same interface without a word of its
 * own. A thread is watched by the watchdog of the main thread's agent, which lays what it needs in
 * the thread on this object (lib/host/thread-agent.js) and has its blocks and metrics.
 */
class PassiveAgent extends EventEmitter {
  contentType = 'text/plain; version=0.0.4; charset=utf-8'
  /** @type {ReturnType<typeof import('./probe').createProbe> | undefined} called by the watchdog, in mid-block */
  probe
  /** @type {(() => void) | undefined} tells the watchdog of this thread */
  announce

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
