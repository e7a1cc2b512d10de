'use strict'

// Work at each request, which can be switched on and off while a server runs: that of the agent, and each of its actual
// or possible parts separately.
const { AsyncLocalStorage } = require('node:async_hooks')
const diagnosticsChannel = require('node:diagnostics_channel')

const START = 'http.server.request.start'
const FINISH = 'http.server.response.finish'
const { subscribe, unsubscribe } = diagnosticsChannel
const nothing = () => {}

/**
 * @typedef {import('node:diagnostics_channel').ChannelListener} Listener
 * @typedef {import('node:http').Server} Server
 * @typedef {{ on: (server: Server) => void, off: (server: Server) => void }} Part
 */

/** @param {[string | symbol, Listener][]} subscriptions @returns {{ on: () => void, off: () => void }} */
const switched = (subscriptions) => ({
  on: () => { for (const [name, listener] of subscriptions) subscribe(name, listener) },
  off: () => { for (const [name, listener] of subscriptions) unsubscribe(name, listener) }
})

/** @param {Listener} start @param {Listener} [finish] @returns {Part} */
const listening = (start, finish = nothing) => switched([[START, start], [FINISH, finish]])

/** The agent, whose listeners are found as it adds them: it does so before the first connection. */
function agent () {
  /** @type {[string | symbol, Listener][]} */
  const subscriptions = []
  diagnosticsChannel.subscribe = (name, listener) => {
    if (String(name).startsWith('http.server.')) subscriptions.push([name, listener])
    subscribe(name, listener)
  }
  require('../../../lib').start({ port: 0, log: false })
  const part = switched(subscriptions)
  return {
    // At first, the agent has switched them on.
    on: () => { if (subscriptions.length > 0) part.on() },
    off: () => {
      if (subscriptions.length === 0) throw new Error('the agent listens to no channel of http.server')
      part.off()
    }
  }
}

/** Two readings of the clock. */
function clock () {
  let readMs = 0
  const read = () => { readMs = performance.now() }
  return listening(read, () => { if (readMs > 0) read() })
}

/** The request's asynchronous work is followed. */
function storage () {
  const works = new AsyncLocalStorage()
  return listening((message) => works.enterWith({ message }))
}

/** One listener for the end of each response, in place of the channel's. */
const closeListener = () => listening((message) => {
  /** @type {{ response: import('node:http').ServerResponse }} */ (message).response.once('close', nothing)
})

/** The first request of a turn has the turn's end announced, so that the others need not read the clock. */
function turnEnd () {
  let isAwaited = false
  const end = () => { isAwaited = false }
  return listening(() => {
    if (isAwaited) return
    isAwaited = true
    setImmediate(end)
  })
}

/** A listener of the server before the application's, in place of the channel and its object. @returns {Part} */
const serverListener = () => ({
  on: (server) => { server.prependListener('request', nothing) },
  off: (server) => { server.removeListener('request', nothing) }
})

/** Each begins switched off. @type {Record<string, () => Part>} */
exports.parts = {
  agent,
  channels: () => listening(nothing),
  'server-listener': serverListener,
  clock,
  storage,
  'close-listener': closeListener,
  'turn-end': turnEnd
}
