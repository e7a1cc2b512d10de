'use strict'

const { StringDecoder } = require('node:string_decoder')

/** @import { Socket } from 'node:net' */

/**
 * The protocol between the watchdogs of a cluster: one JSON object a line, its kind in `t`. Unknown kinds are
 * ignored. The version is raised when one side would misread the other.
 *
 * HTTP requests to the workers at a scrape were measured instead, with the last answer kept for the dead. With 64
 * workers of 1430 series, the primary took 470 ms of CPU a scrape (here 125), answers came within 520 ms (here 50),
 * and a killed worker lost everything since the last scrape (here a second). Blocks would need this protocol anyway.
 *
 * worker to primary:
 * - hello { v, pid, instance, slot } first of all; `instance` identifies one life of its watchdog, `slot` is the one
 *   that it had under an earlier primary, or null
 * - metrics { series, values, gone } what has changed (metrics/series.js), each second and when asked, in several
 *   lines; the last line has `gone`
 * - block { record } as soon as a block opens, each second, when it ends and when it settles
 *
 * A worker that leaves sends its last metrics and ends its side. The primary reads up to that end and closes.
 *
 * primary to worker:
 * - welcome { v, slot } or refused { reason }
 * - endpoint { url } of the primary, null if it has none
 * - ask {} for the metrics as they are now
 */
exports.VERSION = 2

/** How long a peer may take to say hello or welcome: a stopped process accepts connections and sends nothing. */
exports.HELLO_MS = 2000

/** A line of metrics takes some 100 KB, or 600 KB with exemplars or many bytes per character. A record takes 16 KB. */
exports.LINE_BYTES = 1024 * 1024

/** @typedef {{ t: string, [key: string]: any }} Message */

/** Turns bytes into messages. Throws on a line that is not a message. */
class LineReader {
  #decoder = new StringDecoder()
  #rest = ''

  /** @param {Buffer} chunk @returns {Message[]} those that end in it */
  push (chunk) {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n')
    this.#rest = /** @type {string} */ (lines.pop())
    if (this.#rest.length > exports.LINE_BYTES) throw new Error(`a line of more than ${exports.LINE_BYTES} bytes`)
    return lines.map(parse)
  }
}

/** @param {string} line @returns {Message} */
function parse (line) {
  let message
  try {
    message = JSON.parse(line)
  } catch (error) {
    throw new Error('a line that is not JSON', { cause: error })
  }
  if (typeof message?.t !== 'string') throw new Error('a line that is not a message')
  return message
}

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

  /** Whether more waits than the longest line: the other side has stopped reading. Send only what is essential then. */
  get isBacklogged () {
    return this.#socket.writableLength > exports.LINE_BYTES
  }

  /** Returns false if the message is too long to be sent. @param {Message} message */
  send (message) {
    const line = `${JSON.stringify(message)}\n`
    if (Buffer.byteLength(line) > exports.LINE_BYTES) return false
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

exports.LineReader = LineReader
exports.Connection = Connection
