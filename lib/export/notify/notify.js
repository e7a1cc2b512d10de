'use strict'

const { post } = require('../http/post')
const { messageOf } = require('./message')
const { nowMs } = require('../../util/clock')

const ANSWER_MS = 10000
const FIRST_RETRY_MS = 1000
/** How often a message is tried: for some two minutes. After that it would only confuse. */
const TRIES = 7
/** Most messages that wait for a receiver that is away. Beyond it the new ones are counted alone. */
const WAITING = 20
/** Most messages in a minute: whoever gets more reads none. */
const PER_MINUTE = 6
const MINUTE_MS = 60000

/** @typedef {import('../../types').BlockRecord} BlockRecord */
/** @typedef {{ body: string, tries: number }} Message */

/**
 * Tells somebody of a block that lasts longer than a length, once, while it lasts. It never throws: while the receiver
 * is away it tries again, ever less often, and then gives the message up.
 */
class Notifier {
  #parts
  #url
  /** @type {Message[]} oldest first */
  #waiting = []
  /** @type {number[]} when messages were made, of the last minute */
  #madeAtMs = []
  /** Ids of blocks in progress that were told, or held back. @type {Set<string>} */
  #told = new Set()
  #held = 0
  #isSending = false
  #isOver = false
  /** @type {NodeJS.Timeout | undefined} */
  #retry

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
    this.#url = new URL(parts.url)
  }

  /** A block lasts. @param {BlockRecord} record as it is now */
  lasting (record) {
    const { id, durationMs, startup, allowed } = record
    if (this.#isOver || durationMs < this.#parts.aboveMs || startup || allowed || this.#told.has(id)) return
    this.#told.add(id)
    const now = nowMs()
    this.#madeAtMs = this.#madeAtMs.filter((atMs) => now - atMs < MINUTE_MS)
    if (this.#madeAtMs.length >= PER_MINUTE || this.#waiting.length >= WAITING) {
      this.#held++
      this.#parts.onLost(1)
      return
    }
    this.#madeAtMs.push(now)
    const { labels } = this.#parts
    this.#waiting.push({ body: JSON.stringify(messageOf(this.#url, record, { labels, held: this.#held })), tries: 0 })
    this.#held = 0
    if (this.#retry === undefined) this.#send()
  }

  /** A block is over, and is told if it was too short to be told before. @param {BlockRecord} record */
  settled (record) {
    this.lasting(record)
    this.#told.delete(record.id)
  }

  /** One message at a time. */
  async #send () {
    if (this.#isSending) return
    this.#isSending = true
    while (this.#waiting.length > 0 && !this.#isOver) {
      const [message] = this.#waiting
      const { error, isFinal } = await post(this.#url, {
        type: 'application/json',
        body: message.body,
        signal: AbortSignal.timeout(ANSWER_MS)
      })
      this.#parts.onState(error)
      if (error !== null && !isFinal && ++message.tries < TRIES) {
        this.#later(message.tries)
        break
      }
      this.#waiting.shift()
      if (error !== null) this.#parts.onLost(1)
    }
    this.#isSending = false
  }

  /** @param {number} tries */
  #later (tries) {
    if (this.#isOver) return
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      this.#send()
    }, (this.#parts.retryMs ?? FIRST_RETRY_MS) * 2 ** (tries - 1))
  }

  /** Messages that nobody has taken by now are lost. */
  stop () {
    this.#isOver = true
    clearTimeout(this.#retry)
    if (this.#waiting.length > 0) this.#parts.onLost(this.#waiting.length)
  }
}

exports.Notifier = Notifier
exports.PER_MINUTE = PER_MINUTE
