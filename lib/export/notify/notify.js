'use strict'

const { Outbox } = require('../outbox')
const { messageOf } = require('./message')
const { nowMs } = require('../../util/clock')

const ANSWER_MS = 10000
/** How often a message is tried: for about two minutes. Later it would only confuse. */
const TRIES = 7
/** Most messages that wait for an unavailable receiver. Beyond it, new ones are only counted. */
const WAITING = 20
/** Most messages in a minute: people do not read more. */
const PER_MINUTE = 6
const MINUTE_MS = 60000

/** @typedef {import('../../types').BlockRecord} BlockRecord */

/** @param {number} status */
const isRetryable = (status) => status >= 500 || status === 429 || status === 408

/** Sends one message for each block that lasts longer than `aboveMs`, while it lasts. It never throws. */
class Notifier {
  #parts
  #url
  /** @type {Outbox<string>} */
  #outbox
  /** @type {number[]} times of the messages of the last minute */
  #madeAtMs = []
  /** Ids of blocks in progress with a message, or without one because of the limit. @type {Set<string>} */
  #told = new Set()
  #held = 0
  #isOver = false

  /**
   * @param {object} parts
   * @param {string} parts.url a user and password in it become basic authentication
   * @param {number} parts.aboveMs
   * @param {Record<string, string>} parts.labels
   * @param {(error: Error | null) => void} parts.onState
   * @param {(messages: number) => void} parts.onLost
   * @param {number} [parts.retryMs]
   */
  constructor (parts) {
    this.#parts = parts
    const { url, onState, onLost, retryMs } = parts
    this.#url = new URL(url)
    this.#outbox = new Outbox({
      target: { url, timeoutMs: ANSWER_MS, isRetryable },
      encode: ([message]) => message,
      most: WAITING,
      batch: 1,
      tries: TRIES,
      delayMs: 0,
      onState,
      onLost,
      retryMs
    })
  }

  /** @param {BlockRecord} record as it is now */
  lasting (record) {
    const { id, durationMs, startup, allowed } = record
    if (this.#isOver || durationMs < this.#parts.aboveMs || startup || allowed || this.#told.has(id)) return
    this.#told.add(id)
    const now = nowMs()
    this.#madeAtMs = this.#madeAtMs.filter((atMs) => now - atMs < MINUTE_MS)
    if (this.#madeAtMs.length >= PER_MINUTE || this.#outbox.isFull) {
      this.#held++
      this.#parts.onLost(1)
      return
    }
    this.#madeAtMs.push(now)
    const { labels } = this.#parts
    this.#outbox.add(JSON.stringify(messageOf(this.#url, record, { labels, held: this.#held })))
    this.#held = 0
  }

  /** Sends a message if the block reached `aboveMs` only at its end. @param {BlockRecord} record */
  settled (record) {
    this.lasting(record)
    this.#told.delete(record.id)
  }

  /** Sends the messages that are waiting. */
  flush () {
    return this.#outbox.flush()
  }

  /** Messages that the receiver does not accept at once are lost. */
  stop () {
    this.#isOver = true
    return this.#outbox.stop()
  }
}

exports.Notifier = Notifier
exports.PER_MINUTE = PER_MINUTE
