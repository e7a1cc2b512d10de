'use strict'

const { WAITED } = require('../../../bridge/messages')
const { callerOf } = require('./trace-id')

/** A request that is answered later than this after a block is not told of any more, ms. */
const WINDOW_MS = 1000
/** Requests that are told of after one block: as many as its span has links. */
const MOST = 32

const kApi = Symbol.for('opentelemetry.js.api.1')

/**
 * Tells the watchdog of the sampled requests that a block delayed, so that its span has links to them. It costs a
 * request one comparison while there is no block.
 */
class WaitingRequests {
  #post
  #isWanted
  #blockEndMs = -Infinity
  #left = 0

  /**
   * @param {(message: object) => void} post to the watchdog
   * @param {boolean} isWanted spans are sent, whether or not there is OpenTelemetry in the application
   */
  constructor (post, isWanted) {
    this.#post = post
    this.#isWanted = isWanted
  }

  /** A silence of the loop has just ended. @param {number} atMs */
  late (atMs) {
    if (!this.#isWanted && !(kApi in globalThis)) return
    this.#blockEndMs = atMs
    this.#left = MOST
  }

  /** A request ends. @param {import('./context').RequestContext} context @param {number} nowMs */
  ended ({ id, request, startedAtMs, hasWaited }, nowMs) {
    if (nowMs > this.#blockEndMs + WINDOW_MS || this.#left === 0 || request === null) return
    if (startedAtMs > this.#blockEndMs && !hasWaited) return
    const caller = callerOf(request)
    if (caller === null) return
    this.#left--
    this.#post({ code: WAITED, id, ...caller, startMs: startedAtMs, endMs: nowMs, hasWaited })
  }
}

exports.WaitingRequests = WaitingRequests
