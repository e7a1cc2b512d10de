'use strict'

const { refusal } = require('./server')

/** @import { Reply } from './server' */
/** @import { ServerResponse } from 'node:http' */

/** Enough for the people who watch one process, and for their forgotten tabs. */
const STREAMS = 20
/** A client with more unread bytes does not read. It is disconnected and may reconnect. */
const BACKLOG_BYTES = 4 * 1024 * 1024

class EventStreams {
  /** @type {Set<ServerResponse>} */
  #responses = new Set()
  #onEmpty

  /** @param {() => void} onEmpty called when the last client has gone */
  constructor (onEmpty) {
    this.#onEmpty = onEmpty
  }

  get size () {
    return this.#responses.size
  }

  /** @param {() => [event: string, data: unknown][]} greet returns the first events of the stream @returns {Reply} */
  connect (greet) {
    if (this.#responses.size >= STREAMS) {
      return refusal(`${STREAMS} pages are already open`, 503, { 'retry-after': '10' })
    }
    // Built before the response begins, so that an error in it is answered with 500.
    const greeting = greet().map(([event, data]) => message(event, data)).join('')
    return {
      status: 200,
      type: 'text/event-stream; charset=utf-8',
      body: '',
      stream: (response) => {
        this.#responses.add(response)
        response.once('close', () => {
          this.#responses.delete(response)
          if (this.#responses.size === 0) this.#onEmpty()
        })
        response.write(greeting)
      }
    }
  }

  /** @param {string} event @param {unknown} data */
  send (event, data) {
    const text = message(event, data)
    for (const response of this.#responses) {
      if (response.writableLength > BACKLOG_BYTES) response.destroy()
      else response.write(text)
    }
  }

  close () {
    for (const response of this.#responses) response.destroy()
  }
}

/** JSON has no line breaks, so an event has one line of data. @param {string} event @param {unknown} data */
function message (event, data) {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

exports.EventStreams = EventStreams
exports.STREAMS = STREAMS
