'use strict'

const { nowMs } = require('../clock')
const { EventStreams } = require('../export/event-streams')
const { FreshDelays } = require('./fresh-delays')
const { History } = require('./history')

/** @typedef {import('../store/record').BlockRecord} BlockRecord */

/**
 * What the live page is told: the last ten minutes and the list of blocks when it connects, then the
 * state once a second and each block as it goes. Without a page only the history is kept.
 */
class LivePage {
  #parts
  #delays
  #streams
  /** @type {Map<string, boolean>} blocks told, and whether they were in progress then */
  #told = new Map()
  /** A block ends once, and is told again when it is judged. */
  #lastEnded = ''

  /**
   * @param {object} parts
   * @param {string} parts.version
   * @param {import('../options').ResolvedOptions} parts.options
   * @param {import('node:perf_hooks').IntervalHistogram} parts.histogram
   * @param {() => { activeMs: number, idleMs: number, inProgressMs: number }} parts.loop
   * @param {() => BlockRecord[]} parts.blocks newest first
   * @param {() => BlockRecord[]} parts.ongoing
   * @param {() => number} parts.inFlight
   * @param {() => Iterable<[string, boolean]>} parts.degraded
   * @param {() => { worker: number, blockedMs: number }[] | null} parts.workers
   */
  constructor (parts) {
    this.#parts = parts
    this.history = new History(nowMs(), parts.loop())
    this.#delays = new FreshDelays({ histogram: parts.histogram, periodMs: parts.options.calmPeriod, boundsMs: this.history.delayBoundsMs })
    this.#streams = new EventStreams(() => this.#told.clear())
  }

  /** @param {number} now */
  look (now) {
    if (!this.history.isDue(now)) return
    this.history.look(now, this.#parts.loop(), this.#delays.take())
    if (this.#streams.size > 0) this.#streams.send('state', this.#state())
  }

  /** A page comes. @returns {import('../export/http-server').Reply} */
  connect () {
    return this.#streams.connect(() => [['hello', this.#hello()], ['state', this.#state()]])
  }

  #hello () {
    const { version, options, blocks } = this.#parts
    return {
      version,
      node: process.versions.node,
      pid: process.pid,
      labels: options.labels,
      thresholdMs: options.threshold,
      keep: options.keep,
      requests: options.requests !== 'off',
      seconds: this.history.seconds,
      blocks: blocks().map(rowOf)
    }
  }

  #state () {
    const { inFlight, degraded, workers, ongoing } = this.#parts
    return {
      at: Date.now(),
      second: this.history.second,
      ongoing: ongoing().map(rowOf),
      last: this.history.last,
      whole: this.history.whole,
      inFlight: inFlight(),
      degraded: [...degraded()].filter(([, isDegraded]) => isDegraded).map(([reason]) => reason),
      workers: workers()?.length ?? null
    }
  }

  /** A block has begun, goes on, has ended or is judged. @param {BlockRecord} record */
  put (record) {
    if (!record.ongoing && record.threadId === 0 && record.worker === null && record.id !== this.#lastEnded) {
      this.#lastEnded = record.id
      this.history.addBlock(record.durationMs)
    }
    if (this.#streams.size === 0) return
    const wasOngoing = this.#told.get(record.id)
    if (record.ongoing) this.#told.set(record.id, true)
    else this.#told.delete(record.id)
    this.#streams.send('block', rowOf(record))
    // At once, not within the second.
    if (record.ongoing !== (wasOngoing ?? false)) this.#streams.send('state', this.#state())
  }

  /** What was told as a block was none. @param {string} id */
  drop (id) {
    this.#told.delete(id)
    this.#streams.send('gone', { id })
  }

  close () {
    this.#streams.close()
  }
}

/** A record as a line of the list. @param {BlockRecord} record */
function rowOf ({ id, pid, worker, thread, threadId, startedAt, durationMs, ongoing, startup, cause, frame, request, origin }) {
  return {
    id,
    pid,
    worker,
    thread,
    threadId,
    startedAt,
    durationMs,
    ongoing,
    startup,
    cause,
    frame: frame && { function: frame.function, file: frame.file, line: frame.line },
    request: request && { method: request.method, route: request.route },
    origin: origin && { function: origin.frame.function, file: origin.frame.file, line: origin.frame.line }
  }
}

exports.LivePage = LivePage
