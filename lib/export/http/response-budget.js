'use strict'

/** An answer up to this size is always given: metrics, health and the page come through whatever else waits. */
const SMALL_BYTES = 256 * 1024
/** Of larger ones so much may wait in memory for their clients to read on. */
const LARGE_BYTES = 32 * 1024 * 1024

/** What of large answers lies in memory: a client that reads nothing has up to half a minute. */
class Unread {
  #bytes = 0

  /**
   * Whether there is room for an answer, which then counts until it is through or its client is gone.
   * A single one of any size has room.
   * @param {number} bytes
   * @param {import('node:http').ServerResponse} response
   */
  admit (bytes, response) {
    // Of one whose client has left there is no further 'close'.
    if (bytes <= SMALL_BYTES || response.destroyed) return true
    if (this.#bytes > 0 && this.#bytes + bytes > LARGE_BYTES) return false
    this.#bytes += bytes
    response.once('close', () => { this.#bytes -= bytes })
    return true
  }
}

exports.Unread = Unread
exports.LARGE_BYTES = LARGE_BYTES
