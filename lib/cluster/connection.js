'use strict'

const { LineReader, LINE_BYTES } = require('./wire')

/**
 * @import { Message } from './wire'
 * @import { Socket } from 'node:net'
 */

/** Most bytes that may wait to be sent. If more wait, the other side has stopped reading. */
const BACKLOG_BYTES = 1024 * 1024

/** A connection between two watchdogs, with messages both ways. The first line that is not a message closes it. */
class Connection {
  #socket
  /** @type {Error | null} */
  #fault = null

  /**
   * @param {Socket} socket @param {object} handlers
   * @param {(message: Message) => void} handlers.onMessage throws what is wrong with the message
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

  /** Whether the other side has stopped reading. Then only essential messages should be sent. */
  get isBacklogged () {
    return this.#socket.writableLength > BACKLOG_BYTES
  }

  /** Returns false if the message is too long to be sent. @param {Message} message */
  send (message) {
    const line = `${JSON.stringify(message)}\n`
    if (Buffer.byteLength(line) > LINE_BYTES) return false
    this.#socket.write(line)
    return true
  }

  /**
   * Ends this side, and resolves when the other side has read everything and closed, or after `ms`. Closing at once
   * could lose what was sent: if the other side is writing, its write fails, and it reads nothing more.
   * @param {number} ms @returns {Promise<void>}
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
