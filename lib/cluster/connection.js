'use strict'

const { LineReader, LINE_BYTES } = require('./wire')

/** Most bytes that may wait to be sent. With more waiting, the other side has stopped reading. */
const BACKLOG_BYTES = 1024 * 1024

/**
 * One connection between two watchdogs, with messages both ways. The first line that is no message closes it for
 * good.
 */
class Connection {
  #socket
  /** @type {Error | null} */
  #fault = null

  /**
   * @param {import('node:net').Socket} socket
   * @param {object} handlers
   * @param {(message: import('./wire').Message) => void} handlers.onMessage may throw: the error says what is wrong
   * with the message
   * @param {(fault: Error | null) => void} handlers.onClose null if the connection just ended
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

  /** Whether the other side has stopped reading. Then only messages should be sent that nobody can do without. */
  get isBacklogged () {
    return this.#socket.writableLength > BACKLOG_BYTES
  }

  /**
   * @param {import('./wire').Message} message
   * @returns {boolean} false if it is too long to be sent
   */
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
   * Says that no more comes, and resolves when the other side has read everything and closed, or when that takes
   * too long. Closing at once would lose what was sent if the other side is just writing: its write would fail,
   * and after a failed write nobody reads.
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

exports.Connection = Connection
