'use strict'

const { isRecord } = require('./records')
const { SeriesReader } = require('./metrics/series')

const ROUNDING = 10
/** A block in progress is told again each second; one that is not has ended, and its end was lost. */
const UNTOLD_MS = 3000
const MOST_ONGOING = 20

/** @typedef {import('../types').BlockRecord} BlockRecord */

/** A worker as the primary knows it: its metrics as they last came, and its blocks in progress. */
class Member {
  #series = new SeriesReader()
  /** @type {Map<string, { record: BlockRecord, atMs: number }>} */
  #ongoing = new Map()
  #nowMs
  /** @type {{ id: number, done: () => void } | null} */
  #asked = null
  /** When it last gave its metrics. */
  heardAtMs
  /** Whether its metrics have come whole: before, those of who had its slot count. */
  isKnown = false

  /** @param {{ slot: number, instance: string, link: import('./connection').Link, nowMs: () => number }} parts */
  constructor ({ slot, instance, link, nowMs }) {
    this.slot = slot
    this.instance = instance
    this.link = link
    this.#nowMs = nowMs
    this.heardAtMs = nowMs()
  }

  /** @param {import('./wire').Message} message */
  takeMetrics (message) {
    if (this.#series.apply(message)) this.isKnown = true
    this.heardAtMs = this.#nowMs()
    if (message.id === undefined || this.#asked === null || message.id !== this.#asked.id) return
    this.#asked.done()
    this.#asked = null
  }

  /** @param {import('./wire').Message} message @returns {BlockRecord} */
  takeBlock ({ record }) {
    if (!isRecord(record)) throw new Error('a block that is no record')
    const own = { ...record, worker: this.slot }
    this.#ongoing.delete(own.id)
    if (own.ongoing) this.#ongoing.set(own.id, { record: own, atMs: this.#nowMs() })
    if (this.#ongoing.size > MOST_ONGOING) this.#ongoing.delete(/** @type {string} */ (this.#ongoing.keys().next().value))
    return own
  }

  /** Blocks that must have ended, as far as they were told. @returns {BlockRecord[]} */
  takeUntold () {
    const untold = [...this.#ongoing.values()].filter(({ atMs }) => this.#nowMs() - atMs > UNTOLD_MS)
    for (const { record } of untold) this.#ongoing.delete(record.id)
    return untold.map(({ record }) => record)
  }

  /** Resolves when its metrics are those of now. @param {number} id @returns {Promise<void>} */
  ask (id) {
    return new Promise((resolve) => {
      this.#asked?.done()
      this.#asked = { id, done: resolve }
      // Who does not read has nothing to say.
      if (this.link.isBacklogged) resolve()
      else this.link.send({ t: 'ask', id })
    })
  }

  /** As they last came. */
  get metrics () {
    return this.#series.snapshot()
  }

  /** Its blocks in progress, as long as they are by now. @returns {BlockRecord[]} */
  get ongoing () {
    const now = this.#nowMs()
    return [...this.#ongoing.values()].map(({ record, atMs }) => ({
      ...record, durationMs: Math.round((record.durationMs + now - atMs) * ROUNDING) / ROUNDING
    }))
  }

  /** By the block in progress of its main thread, 0 without one. */
  get blockedMs () {
    return Math.max(0, ...this.ongoing.filter(({ thread }) => thread === 'main').map(({ durationMs }) => durationMs))
  }
}

exports.Member = Member
