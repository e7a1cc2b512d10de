'use strict'

const { parseAnswer } = require('../../bridge/probe')

/**
 * @import { ProbeChannel, Answer } from '../../bridge/probe'
 * @import { Reading } from './kernel-evidence'
 */

/** If an answer comes later than this, something delayed it that does not check for interrupts. */
const LATE_MS = 10
/** The least and the most time between two questions, and the least as a share of the block so far. */
const SAMPLE_MS = 20
const MIN_SHARE = 0.01
const MAX_PERIOD_MS = 1000
/**
 * A question without an answer is put again after this long, then after twice that, and so on: a native call may last
 * hours, and all questions that wait for it are run at its end.
 */
const LOST_MS = 1000

/**
 * `waitedMs`: how long the thread waited for a CPU between question and answer, if the kernel reports it.
 * `isAfterRefusal`: no question could be put before its own (kernel/script-timeouts.js), so it does not show what ran
 * until then.
 * @typedef {Answer & { questionAtMs: number, late: boolean, waitedMs?: number, isAfterRefusal?: boolean }} Sample
 * @typedef {object} Question without an answer yet
 * @property {number} number @property {number} sentAtMs @property {number} againAtMs @property {number} waitMs
 * @property {number | null} runQueueMs
 */

/** Asks the host where it is, one question at a time, and collects the answers. */
class Sampler {
  #channel
  #ask
  /** @type {Question | null} */
  #question
  #nextAtMs = 0
  /** A question was due and could not be put. */
  #isRefused = false

  /**
   * @param {object} parts @param {ProbeChannel} parts.channel
   * @param {(isAgain: boolean) => boolean} parts.ask puts a question, again if it has no answer; false if that fails
   * @param {Question | null} [parts.question] that the sampler before this one put
   */
  constructor ({ channel, ask, question = null }) {
    this.#channel = channel
    this.#ask = ask
    this.#question = question
  }

  get questionAtMs () {
    return this.#question?.sentAtMs ?? null
  }

  get question () {
    return this.#question
  }

  /** @param {number} nowMs @param {number} blockedMs so far @param {number | null} [runQueueMs] of the thread, now */
  askIfDue (nowMs, blockedMs, runQueueMs = null) {
    const question = this.#question
    if (question !== null) {
      // Same number: one answer counts.
      if (nowMs < question.againAtMs || !this.#ask(true)) return
      question.waitMs *= 2
      question.againAtMs = nowMs + question.waitMs
      return
    }
    if (nowMs < this.#nextAtMs) return
    this.#nextAtMs = nowMs + Math.min(Math.max(SAMPLE_MS, blockedMs * MIN_SHARE), MAX_PERIOD_MS)
    const number = this.#channel.ask()
    if (!this.#ask(false)) {
      this.#isRefused = true
      return
    }
    this.#question = { number, sentAtMs: nowMs, againAtMs: nowMs + LOST_MS, waitMs: LOST_MS, runQueueMs }
  }

  /** The answer, once. @param {Reading} [reading] of now @returns {Sample | null} */
  take (reading) {
    if (this.#question === null) return null
    const text = this.#channel.take(this.#question.number)
    if (text === null) return null
    const answer = parseAnswer(text)
    // The time in which a question was lost says nothing about the thread.
    const questionAtMs = Math.max(this.#question.sentAtMs, answer.putAtMs ?? 0)
    const waitedMs = reading === undefined ? 0 : waitedOf(this.#question.runQueueMs, answer.atMs, reading)
    const isAfterRefusal = this.#isRefused
    this.forget()
    return { ...answer, questionAtMs, late: answer.atMs - questionAtMs >= LATE_MS, waitedMs, isAfterRefusal }
  }

  /** A beat is overdue: the first question is due at once. */
  hurry () {
    this.#nextAtMs = 0
  }

  /** The host beats again: the answer to the open question no longer counts. */
  forget () {
    this.#question = null
    this.#isRefused = false
  }
}

/**
 * The least time that the thread waited for a CPU before it answered. @param {number | null} runQueueMs when asked
 * @param {number} answeredAtMs @param {Reading} reading later than the answer
 */
function waitedOf (runQueueMs, answeredAtMs, { atMs, runQueueMs: untilMs }) {
  return runQueueMs === null || untilMs === null ? 0 : Math.max(0, untilMs - runQueueMs - (atMs - answeredAtMs))
}

exports.Sampler = Sampler
exports.LATE_MS = LATE_MS
