'use strict'

const { BACKLOG_MS } = require('../bridge/request-row')
const { blockAttributes } = require('../export/otlp/block-attributes')
const { nowMs: sharedNowMs } = require('../util/clock')
const { Recently } = require('../util/recently')
const { MS_PER_MINUTE } = require('../util/units')

/**
 * @import { BlockRecord, BlockSpan } from '../types'
 * @import { BlockInterval } from './requests/recent-blocks'
 */

const NAME = 'event_loop_blocked'
/** An application that blocks every second needs no span for each block: a few traces show what blocks it. */
const PER_MINUTE = 60
/** A span is written this long after its block settles, to link the requests that waited for the block. */
const WAIT_MS = 1000
/** The latest requests that are kept, and the most links of one span. */
const WAITED = 256
const LINKS = 32
/** A block in progress gets its span once it has lasted this long. */
const ONGOING_MS = 5000

/**
 * @typedef {object} Waited a request that lasted into a block, or was read after it; monotonic times
 * @property {number} id @property {string} traceId @property {string} spanId of the caller's span
 * @property {number} startMs @property {number} endMs @property {boolean} hasWaited
 */

/** Makes spans of the main thread's blocks that delayed a sampled span. */
class BlockSpans {
  #parts
  /** @type {Map<string, BlockInterval>} by the block's id, until it is settled */
  #intervals = new Map()
  /** @type {Waited[]} oldest first */
  #waited = []
  /** @type {Map<NodeJS.Timeout, () => void>} spans that wait for their links */
  #held = new Map()
  /** @type {Set<string>} blocks in progress that have a span */
  #ongoingIds = new Set()
  #made = new Recently({ times: PER_MINUTE, withinMs: MS_PER_MINUTE })

  /**
   * @param {object} parts
   * @param {(span: BlockSpan) => void} parts.write @param {() => void} parts.onDropped for each span beyond PER_MINUTE
   * @param {boolean} parts.writesOngoing whether a span can be written while the application is stuck
   * @param {() => number} [parts.nowMs] the clock of all threads @param {number} [parts.waitMs] for tests
   */
  constructor (parts) {
    this.#parts = parts
  }

  /** @param {BlockRecord} record */
  lasting (record) {
    if (!this.#parts.writesOngoing || record.durationMs < ONGOING_MS || this.#ongoingIds.has(record.id)) return
    this.#ongoingIds.add(record.id)
    const span = this.#make(record)
    if (span !== null) this.#parts.write({ ...span, links: [] })
  }

  /** @param {BlockRecord} record @param {BlockInterval} interval */
  ended (record, interval) {
    if (record.work?.sampled) this.#intervals.set(record.id, interval)
  }

  /** @param {BlockRecord} record */
  settled (record) {
    const interval = this.#intervals.get(record.id)
    this.#intervals.delete(record.id)
    this.#ongoingIds.delete(record.id)
    const span = this.#make(record)
    if (span === null) return
    const write = () => {
      this.#held.delete(timer)
      this.#parts.write({ ...span, links: interval === undefined ? [] : this.#linksOf(interval) })
    }
    const timer = setTimeout(write, this.#parts.waitMs ?? WAIT_MS)
    this.#held.set(timer, write)
  }

  /** @param {Waited} request */
  waited (request) {
    this.#waited.push(request)
    if (this.#waited.length > WAITED) this.#waited.shift()
  }

  /** @param {BlockRecord} record @returns {Omit<BlockSpan, 'links'> | null} */
  #make (record) {
    const { traceId, spanId: parentSpanId, sampled } = record.work ?? {}
    if (!traceId || !parentSpanId || !sampled) return null
    const now = (this.#parts.nowMs ?? sharedNowMs)()
    if (this.#made.isOn(now)) {
      this.#parts.onDropped()
      return null
    }
    this.#made.add(now)
    const startMs = Date.parse(record.startedAt)
    const spanId = require('node:crypto').randomBytes(8).toString('hex')
    const endMs = startMs + record.durationMs
    return { traceId, spanId, parentSpanId, name: NAME, startMs, endMs, attributes: blockAttributes(record) }
  }

  /** @param {BlockInterval} interval @returns {BlockSpan['links']} */
  #linksOf ({ startMs, endMs, workIds }) {
    const victims = this.#waited.filter((each) => !workIds.includes(each.id) && each.endMs > startMs &&
      each.startMs - (each.hasWaited ? BACKLOG_MS : 0) < endMs)
    return victims.slice(0, LINKS).map(({ traceId, spanId }) => ({ traceId, spanId }))
  }

  stop () {
    for (const [timer, write] of [...this.#held]) {
      clearTimeout(timer)
      write()
    }
  }
}

exports.BlockSpans = BlockSpans
