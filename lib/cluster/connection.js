'use strict'

const { LineReader, LINE_BYTES } = require('./wire')

/** The other side has stopped reading when so much waits for it. */
const BACKLOG_BYTES = 1024 * 1024

/** One connection between two watchdogs: messages both ways, closed for good on the first that is none. */
class Link {
  #socket
  /** @type {Error | null} */
  #fault = null

  /**
   * @param {import('node:net').Socket} socket
   * @param {{ onMessage: (message: import('./wire').Message) => void, onClose: (fault: Error | null) => void }} handlers
   * `onMessage` may throw: what it says was wrong with the message; `fault` is null where the connection just ended
   */
  constructor (socket, { onMessage, onClose }) {
    this.#socket = socket
    const reader = new LineReader()
    socket.on('data', (chunk) => {
      try {
        for (const message of reader.push(chunk)) {
          if (!socket.destroyed) onMessage(message)
        }
      } catch (error) {
        this.#fault = error
        socket.destroy()
      }
    })
    socket.on('error', () => {}) // its close follows
    socket.on('close', () => onClose(this.#fault))
  }

  /** Whether the other side has stopped reading; nothing more should then be sent than is lost without it. */
  get isBacklogged () {
    return this.#socket.writableLength > BACKLOG_BYTES
  }

  /** @param {import('./wire').Message} message @returns {boolean} false where it is too long to be taken */
  send (message) {
    const line = `${JSON.stringify(message)}\n`
    if (Buffer.byteLength(line) > LINE_BYTES) return false
    this.#socket.write(line)
    return true
  }

  /** Closes once everything sent has gone out. */
  end () {
    this.#socket.destroySoon()
  }

  /**
   * Says that no more comes, and resolves when the other side has read everything and closed, or when
   * that takes too long. To close at once would lose what was sent where the other side is just
   * writing: that fails, and nobody reads after it.
   * @param {number} ms
   * @returns {Promise<void>}
   */
  leave (ms) {
    return new Promise((resolve) => {
      if (this.#socket.closed) return resolve()
      const late = setTimeout(() => this.close(), ms)
      this.#socket.once('close', () => {
        clearTimeout(late)
        resolve()
      })
      this.#socket.end()
    })
  }

  close () {
    this.#socket.destroy()
  }
}

exports.Link = Link
