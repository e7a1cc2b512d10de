'use strict'

/** An answer up to this size always has room: metrics, health and the page are given whatever else waits. */
const SMALL_BYTES = 256 * 1024
/** Most bytes of larger answers that may wait in memory for their clients to read them. */
const LARGE_BYTES = 32 * 1024 * 1024

/** Bounds the large answers in memory. A client that reads nothing keeps its answer there for up to half a minute. */
class ResponseBudget {
  #bytes = 0

  /**
   * Whether there is room for an answer. A large one then counts until it is through or its client is gone. A single
   * one of any size has room.
   * @param {number} bytes
   * @param {import('node:http').ServerResponse} response
   */
  admit (bytes, response) {
    // A response whose client has left emits no further 'close'.
    if (bytes <= SMALL_BYTES || response.destroyed) return true
    if (this.#bytes > 0 && this.#bytes + bytes > LARGE_BYTES) return false
    this.#bytes += bytes
    response.once('close', () => { this.#bytes -= bytes })
    return true
  }
}

exports.ResponseBudget = ResponseBudget
