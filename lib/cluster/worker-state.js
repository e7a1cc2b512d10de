'use strict'

const { isRecord } = require('../store/record')
const { roundMs } = require('../util/statistics')
const { isSmall } = require('./records')
const { SeriesReader } = require('./metrics/series')

/**
 * @import { BlockRecord } from '../types'
 * @import { Connection } from './connection'
 * @import { Message } from './wire'
 */

/** A worker repeats a block in progress each second. Without a repeat for this long, the end of the block was lost. */
const SILENT_BLOCK_MS = 3000
/** Most blocks in progress that are kept for one worker. It has at most one for each of its threads. */
const MOST_ONGOING = 20

/** A worker as the primary knows it: its last metrics and its blocks in progress. */
class WorkerState {
  #series = new SeriesReader()
  /** @type {Map<string, { record: BlockRecord, atMs: number }>} */
  #ongoing = new Map()
  #nowMs
  /** Called when its metrics have come. */
  #answered = () => {}
  heardAtMs
  /** Whether a complete snapshot has come. Before that, the metrics of the slot's last worker count. */
  isKnown = false

  /**
   * @param {object} parts @param {number} parts.slot @param {string} parts.instance
   * @param {Connection} parts.connection @param {() => number} parts.nowMs
   */
  constructor ({ slot, instance, connection, nowMs }) {
    this.slot = slot
    this.instance = instance
    this.connection = connection
    this.#nowMs = nowMs
    this.heardAtMs = nowMs()
  }

  /** @param {Message} message */
  takeMetrics (message) {
    this.heardAtMs = this.#nowMs()
    if (!this.#series.apply(message)) return
    this.isKnown = true
    this.#answered()
  }

  /** @param {Message} message */
  takeBlock ({ record }) {
    if (!isRecord(record) || !isSmall(record)) throw new Error('a block that is not a record')
    const own = { ...record, worker: this.slot }
    this.#ongoing.delete(own.id)
    if (own.ongoing) this.#ongoing.set(own.id, { record: own, atMs: this.#nowMs() })
    if (this.#ongoing.size > MOST_ONGOING) {
      this.#ongoing.delete(/** @type {string} */ (this.#ongoing.keys().next().value))
    }
    return own
  }

  /** Removes and returns blocks that must have ended, as they were last sent. */
  takeSilent () {
    const silent = [...this.#ongoing.values()].filter(({ atMs }) => this.#nowMs() - atMs > SILENT_BLOCK_MS)
    for (const { record } of silent) this.#ongoing.delete(record.id)
    return silent.map(({ record }) => record)
  }

  /** Resolves when its next metrics have come. @returns {Promise<void>} */
  ask () {
    return new Promise((resolve) => {
      this.#answered = resolve
      // A worker that does not read will not answer either.
      if (this.connection.isBacklogged) resolve()
      else this.connection.send({ t: 'ask' })
    })
  }

  get metrics () {
    return this.#series.snapshot()
  }

  /** Its blocks in progress, with their durations up to now. */
  get ongoing () {
    const now = this.#nowMs()
    return [...this.#ongoing.values()].map(({ record, atMs }) => ({
      ...record, durationMs: roundMs(record.durationMs + now - atMs)
    }))
  }

  /** How long its main thread has been blocked, 0 if it is not. */
  get blockedMs () {
    return Math.max(0, ...this.ongoing.filter(({ thread }) => thread === 'main').map(({ durationMs }) => durationMs))
  }
}

exports.WorkerState = WorkerState
