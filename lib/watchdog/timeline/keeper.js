'use strict'

const { nowMs } = require('../../util/clock')
const { MS_PER_S } = require('../../util/units')
const { gatherTrace } = require('./trace')

/** @import { BlockRecord } from '../../types' */

/** What is kept before and after a block: what led to it, and who waited. */
const AROUND_MS = 15 * MS_PER_S

/** Keeps the timeline around a block beside its record. A storm of blocks shares one file each 15 seconds. */
class TimelineKeeper {
  #parts
  /** @type {{ id: string, startMs: number, dueAtMs: number } | null} */
  #awaited = null
  #isWriting = false

  /**
   * @param {Parameters<typeof gatherTrace>[0] & { keep: (id: string, text: string) => void,
   *   onThrow: (error: Error) => void }} parts
   */
  constructor (parts) {
    this.#parts = parts
  }

  /** A process that is stuck may be killed soon: what there is by now. @param {BlockRecord} record */
  stuck ({ id, durationMs }) {
    try {
      const { traceText } = require('../../export/timeline/trace-events')
      this.#parts.keep(id, traceText(this.#trace(nowMs() - durationMs)))
    } catch (error) {
      this.#parts.onThrow(error)
    }
  }

  /** @param {BlockRecord} record @param {number} endMs monotonic */
  settled ({ id, durationMs }, endMs) {
    this.#awaited ??= { id, startMs: endMs - durationMs, dueAtMs: endMs + AROUND_MS }
  }

  /** @param {number} now */
  poll (now) {
    if (this.#awaited !== null && now >= this.#awaited.dueAtMs) this.#take()
  }

  async #take () {
    const awaited = this.#awaited
    this.#awaited = null
    if (awaited !== null) await this.#write(awaited.id, awaited.startMs)
  }

  /** @param {string} id @param {number} startMs monotonic */
  async #write (id, startMs) {
    if (this.#isWriting) return
    this.#isWriting = true
    try {
      const { writeTrace } = require('../../export/timeline/trace-events')
      this.#parts.keep(id, await writeTrace(this.#trace(startMs)))
    } catch (error) {
      this.#parts.onThrow(error)
    } finally {
      this.#isWriting = false
    }
  }

  /** @param {number} startMs of a block, monotonic */
  #trace (startMs) {
    const toMs = Date.now()
    return gatherTrace(this.#parts, { fromMs: toMs - (nowMs() - startMs) - AROUND_MS, toMs })
  }

  /** Writes what is awaited, without what would have come. */
  stop () {
    return this.#take()
  }
}

exports.TimelineKeeper = TimelineKeeper
