'use strict'

const { WAITED } = require('../../../bridge/messages')
const { callerOf, kApi } = require('./trace-id')

/** @import { RequestContext } from './context' */

/** A request answered later than this after a block is not reported. */
const WINDOW_MS = 1000
/** Most requests reported after one block, whose span can have as many links. */
const MOST = 32

/** Reports sampled requests that a block delayed, for links of its span. Without a block each takes one comparison. */
class WaitingRequests {
  #post
  #isWanted
  #blockEndMs = -Infinity
  #left = 0

  /** @param {(message: object) => void} post @param {boolean} isWanted even if the application has no OpenTelemetry */
  constructor (post, isWanted) {
    this.#post = post
    this.#isWanted = isWanted
  }

  /** @param {number} atMs of a beat after a block */
  late (atMs) {
    if (!this.#isWanted && !(kApi in globalThis)) return
    this.#blockEndMs = atMs
    this.#left = MOST
  }

  /** @param {RequestContext} context @param {number} nowMs */
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
