'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { parsed } = require('../common/parsed')

const CONNECT_MS = 3000

/** The inspector has its own thread: it answers even while the event loop is stuck. */
class Remote {
  /** @type {WebSocket} */
  #socket
  #lastId = 0
  /** @type {Map<number, (answer: any) => void>} */
  #waiting = new Map()
  isClosed = false

  /** @param {WebSocket} socket connected */
  constructor (socket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      // A server that is not an inspector may send anything.
      const { id, result } = parsed(String(data))
      this.#waiting.get(id)?.(result)
      this.#waiting.delete(id)
    })
    socket.addEventListener('error', () => {})
    socket.addEventListener('close', () => {
      this.isClosed = true
      for (const settle of this.#waiting.values()) settle(undefined)
    })
  }

  /**
   * Runs on the main thread; if that is busy, at the next interrupt.
   * @param {string} expression @param {{ ms: number, awaitPromise?: boolean }} options ms: how long to wait
   * @returns {Promise<{ value: any } | { thrown: string } | null>} null = no answer in time
   */
  async evaluate (expression, { ms, awaitPromise = false }) {
    if (this.isClosed) return null
    const id = ++this.#lastId
    const answer = new Promise((resolve) => this.#waiting.set(id, resolve))
    this.#socket.send(JSON.stringify({ id, method: 'Runtime.evaluate', params: { expression, includeCommandLineAPI: true, silent: true, returnByValue: true, awaitPromise } }))
    const timeout = new AbortController()
    const result = await Promise.race([answer, sleep(ms, undefined, { signal: timeout.signal }).catch(() => {})])
    timeout.abort()
    this.#waiting.delete(id)
    if (typeof result !== 'object' || result === null) return null
    const { exceptionDetails: details } = result
    return details ? { thrown: details.exception?.description ?? details.text } : { value: result.result?.value }
  }

  close () {
    this.isClosed = true
    this.#socket.close()
  }
}

/** @param {string} address of a WebSocket @returns {Promise<Remote | null>} */
exports.openRemote = (address) => {
  const socket = new WebSocket(address)
  const patience = setTimeout(() => socket.close(), CONNECT_MS)
  return new Promise((resolve) => {
    socket.addEventListener('open', () => {
      clearTimeout(patience)
      resolve(new Remote(socket))
    })
    for (const end of ['error', 'close']) {
      socket.addEventListener(end, () => {
        clearTimeout(patience)
        resolve(null)
      })
    }
  })
}

exports.Remote = Remote
