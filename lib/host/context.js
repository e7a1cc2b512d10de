'use strict'

const { AsyncLocalStorage } = require('node:async_hooks')
const diagnosticsChannel = require('node:diagnostics_channel')
const { nowMs } = require('../clock')

const REQUEST_START = 'http.server.request.start'

/**
 * @typedef {object} Context what follows a request through its awaits, timers and listeners
 * @property {number} id
 * @property {string} method
 * @property {string} url as it came; cut to its path only when somebody asks
 * @property {number} startedAtMs
 */

/**
 * Gives every HTTP request a context, read by the probe in mid-block.
 * @returns {{ current: () => Context | undefined, stop: () => void }}
 */
exports.startContext = () => {
  /** @type {AsyncLocalStorage<Context>} */
  const storage = new AsyncLocalStorage()
  let id = 0
  /** @param {any} message */
  const onRequest = ({ request }) => {
    storage.enterWith({ id: ++id, method: request.method, url: request.url, startedAtMs: nowMs() })
  }
  diagnosticsChannel.subscribe(REQUEST_START, onRequest)
  return {
    current: () => storage.getStore(),
    stop: () => {
      diagnosticsChannel.unsubscribe(REQUEST_START, onRequest)
      storage.disable()
    }
  }
}

/** Stands in where requests are not watched. */
exports.noContext = { current: () => undefined, stop: () => {} }
