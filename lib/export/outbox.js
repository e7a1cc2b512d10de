'use strict'

const { HttpClient } = require('./http-client')

/** @import { Answer, Target } from './http-client' */

/** Items added within this time share a request. */
const DELAY_MS = 1000
const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 60_000
/** A longer Retry-After is cut, so that no receiver can stop the outbox for good. */
const LONGEST_RETRY_AFTER_MS = 300_000
/** Time for the last requests. The watchdog is terminated after a second: the process may be about to exit. */
const LAST_MS = 700

/**
 * A bounded queue for one receiver, sent in batches, oldest first. If the receiver is unavailable, it retries at
 * growing intervals. Items that do not fit are lost and counted.
 * @template T
 */
class Outbox {
  #parts
  #client
  /** @type {T[]} oldest first; the first ones are in the current request */
  #waiting = []
  #onTheWay = 0
  #failures = 0
  /** @type {Promise<void> | null} */
  #sending = null
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #isStopping = false
  #end = new AbortController()

  /**
   * @param {object} parts
   * @param {Target} parts.target
   * @param {(items: T[]) => Promise<string> | string} parts.encode
   * @param {(answer: Answer, items: T[]) => { error: Error | null, lost: number }} [parts.read] for accepted requests
   * @param {number} parts.most items in the queue @param {number} parts.batch most items in one request
   * @param {number} [parts.tries] then the items of a request are lost
   * @param {(error: Error | null) => void} parts.onState
   * @param {(items: number) => void} parts.onLost
   * @param {number} [parts.delayMs] @param {number} [parts.retryMs]
   */
  constructor (parts) {
    this.#parts = parts
    this.#client = new HttpClient(parts.target)
  }

  get isFull () {
    return this.#waiting.length >= this.#parts.most
  }

  /** @param {T} item */
  add (item) {
    const { most, onLost, delayMs = DELAY_MS } = this.#parts
    this.#waiting.push(item)
    if (this.#waiting.length > most) {
      this.#waiting.splice(Math.min(this.#onTheWay, most), 1)
      onLost(1)
    }
    if (this.#timer === undefined && this.#sending === null) this.#later(delayMs)
  }

  /** @param {number} ms */
  #later (ms) {
    if (this.#isStopping) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#send()
    }, ms)
  }

  /** Sends now. Items that fail are retried as usual. */
  flush () {
    clearTimeout(this.#timer)
    this.#timer = undefined
    return this.#send()
  }

  /** Runs #sendAll() once at a time. A run also sends items that are added meanwhile. */
  #send () {
    this.#sending ??= this.#sendAll().finally(() => { this.#sending = null })
    return this.#sending
  }

  async #sendAll () {
    const { batch, tries = Infinity, onState, onLost } = this.#parts
    while (this.#waiting.length > 0 && !this.#end.signal.aborted) {
      const items = this.#waiting.slice(0, batch)
      this.#onTheWay = items.length
      const { error, lost, isFinal, retryAfterMs } = await this.#attempt(items)
      this.#onTheWay = 0
      onState(error)
      if (!isFinal && ++this.#failures < tries) return this.#again(retryAfterMs)
      this.#failures = 0
      // After so many failures, later items would only arrive late, all at once.
      const removed = this.#waiting.splice(0, isFinal ? items.length : Infinity).length
      if (lost > 0) onLost(isFinal ? lost : removed)
    }
  }

  /** @param {T[]} items */
  async #attempt (items) {
    try {
      const answer = await this.#client.post(await this.#parts.encode(items), this.#end.signal)
      if (answer.error !== null) return { ...answer, lost: items.length }
      return { ...answer, lost: 0, ...this.#parts.read?.(answer, items) }
    } catch (error) {
      return { error, isFinal: true, retryAfterMs: null, lost: items.length }
    }
  }

  /** @param {number | null} retryAfterMs */
  #again (retryAfterMs) {
    const ms = Math.min((this.#parts.retryMs ?? FIRST_RETRY_MS) * 2 ** (this.#failures - 1), LAST_RETRY_MS)
    // A random pause: many processes lose the same receiver at the same moment.
    const pauseMs = ms * (0.5 + Math.random() / 2)
    this.#later(Math.max(pauseMs, Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS)))
  }

  /** Sends the rest once. Items that do not arrive in time are lost. */
  async stop () {
    this.#isStopping = true
    clearTimeout(this.#timer)
    const timer = setTimeout(() => this.#end.abort(), LAST_MS)
    await this.#sending
    // If the request in progress failed, the queue is not empty yet.
    await this.#send()
    clearTimeout(timer)
    this.#client.close()
    if (this.#waiting.length > 0) this.#parts.onLost(this.#waiting.length)
  }
}

exports.Outbox = Outbox
