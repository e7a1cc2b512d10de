'use strict'

const os = require('node:os')
const { sentenceOf } = require('../../util/sentence')
const { Outbox } = require('../outbox')
const { nowMs } = require('../../util/clock')
const { Recently } = require('../../util/recently')
const { MS_PER_MINUTE } = require('../../util/units')

/** @import { BlockRecord } from '../../types' */

/** Attempts, in about two minutes. A later message would only confuse. */
const TRIES = 7
/** Most messages that wait for a receiver. Further ones are only counted. */
const WAITING = 20
/** Messages: people do not read more. */
const PER_MINUTE = 6
/** Slack's hosts, also those of its government service. */
const SLACK = /(?:^|\.)hooks\.slack(?:-gov)?\.com$/
/** Slack cuts longer texts; a sentence is far shorter. */
const TEXT_CHARS = 2000

/** @param {number} status */
const isRetryable = (status) => status >= 500 || status === 429 || status === 408

/** Sends one message for each block longer than `aboveMs`, while it is in progress. Never throws. */
class Notifier {
  #parts
  #url
  /** @type {Outbox<string>} */
  #outbox
  #limit = new Recently({ times: PER_MINUTE, withinMs: MS_PER_MINUTE })
  /** Blocks in progress with a message, or over the limit. @type {Set<string>} ids */
  #reported = new Set()
  #held = 0
  #isOver = false

  /**
   * @param {object} parts
   * @param {string} parts.url a user and password in it become basic authentication
   * @param {number} parts.aboveMs @param {Record<string, string>} parts.labels
   * @param {(error: Error | null) => void} parts.onState
   * @param {(messages: number) => void} parts.onLost
   * @param {number} [parts.retryMs]
   */
  constructor (parts) {
    this.#parts = parts
    const { url, onState, onLost, retryMs } = parts
    this.#url = new URL(url)
    this.#outbox = new Outbox({
      target: { url, timeoutMs: 10_000, isRetryable },
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
    if (this.#isOver || durationMs < this.#parts.aboveMs || startup || allowed || this.#reported.has(id)) return
    this.#reported.add(id)
    const now = nowMs()
    if (this.#limit.isOn(now) || this.#outbox.isFull) {
      this.#held++
      this.#parts.onLost(1)
      return
    }
    this.#limit.add(now)
    const { labels } = this.#parts
    this.#outbox.add(JSON.stringify(exports.messageOf(this.#url, record, { labels, held: this.#held })))
    this.#held = 0
  }

  /** A block may reach `aboveMs` only at its end. @param {BlockRecord} record */
  settled (record) {
    this.lasting(record)
    this.#reported.delete(record.id)
  }

  flush () {
    return this.#outbox.flush()
  }

  /** A message that the receiver does not accept at once is lost. */
  stop () {
    this.#isOver = true
    return this.#outbox.stop()
  }
}

/**
 * Slack accepts only a text. Other receivers get the record as well.
 * @param {URL} url @param {BlockRecord} record with its heaviest stack
 * @param {{ labels: Record<string, string>, held: number }} more `held`: blocks without a message since the last one
 */
exports.messageOf = (url, record, { labels, held }) => {
  const name = `${labels.service ?? 'loopwatch'} on ${os.hostname()} (process ${record.pid})`
  const rest = held === 0 ? '' : ` ${held} more ${held === 1 ? 'block was' : 'blocks were'} not posted.`
  const text = `${name}: ${sentenceOf(record)}.${rest}`.slice(0, TEXT_CHARS)
  if (SLACK.test(url.hostname)) return { text: forSlack(text) }
  return { event: 'block', text, labels, hostname: os.hostname(), held, block: record }
}

/** Names from the application must not become links or mentions. @param {string} text */
const forSlack = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

exports.Notifier = Notifier
exports.PER_MINUTE = PER_MINUTE
