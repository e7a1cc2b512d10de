'use strict'

/** A smaller answer is always sent, so that metrics, health and the page work whatever else waits. */
const SMALL_BYTES = 256 * 1024
const LARGE_BYTES = 32 * 1024 * 1024

/** Limits the large answers in memory. A client that does not read keeps its answer there for up to half a minute. */
class ResponseBudget {
  #bytes = 0

  /** Alone, an answer of any size fits. @param {number} bytes @param {import('node:http').ServerResponse} response */
  admit (bytes, response) {
    // A response whose client has disconnected does not emit 'close' again.
    if (bytes <= SMALL_BYTES || response.destroyed) return true
    if (this.#bytes > 0 && this.#bytes + bytes > LARGE_BYTES) return false
    this.#bytes += bytes
    response.once('close', () => { this.#bytes -= bytes })
    return true
  }
}

exports.ResponseBudget = ResponseBudget
