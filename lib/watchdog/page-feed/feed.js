'use strict'

const { nowMs } = require('../../util/clock')
const { EventStreams } = require('../../export/http/event-streams')
const { FreshDelays } = require('./fresh-delays')
const { History } = require('./history')

/** A block shows as soon as anybody could see it; a thousand a second are told in ten messages. */
const FLUSH_MS = 100

/** @typedef {import('../../types').BlockRecord} BlockRecord */

/**
 * What the live page is told: the last ten minutes and the list of blocks when it connects, then the
 * state once a second and blocks as they go. Without a page only the history is kept.
 */
class LivePage {
  #parts
  #delays
  #streams
  /** @type {Map<string, BlockRecord>} not told yet */
  #pending = new Map()
  #flushAtMs = -Infinity
  /** A block ends once, and is told again when it is judged. */
  #lastEnded = ''

  /**
   * @param {object} parts
   * @param {string} parts.version
   * @param {import('../../options/table').ResolvedOptions} parts.options
   * @param {Pick<import('../../bridge/delay-counts').DelayCounts, 'read'>} parts.delays
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
    this.#delays = new FreshDelays({ delays: parts.delays, boundsMs: this.history.delayBoundsMs })
    this.#streams = new EventStreams(() => this.#pending.clear())
  }

  /** When to look at the latest. */
  get dueAtMs () {
    return this.#streams.size > 0 && this.#pending.size > 0 ? Math.min(this.#flushAtMs, this.history.dueAtMs) : this.history.dueAtMs
  }

  /** @param {number} now */
  look (now) {
    const isNext = now >= this.history.dueAtMs
    if (isNext) this.history.look(now, this.#parts.loop(), this.#delays.take())
    if (this.#streams.size === 0) return
    try {
      this.#tell(now, isNext)
    } catch {
      // A page is not worth the watchdog: pages come back, and are answered 500 where it still cannot be told.
      this.#pending.clear()
      this.#streams.close()
    }
  }

  /** @param {number} now @param {boolean} isNext a second has passed */
  #tell (now, isNext) {
    const hasNews = this.#pending.size > 0 && now >= this.#flushAtMs
    if (hasNews) {
      this.#streams.send('blocks', [...this.#pending.values()].map(rowOf))
      this.#pending.clear()
      this.#flushAtMs = now + FLUSH_MS
    }
    if (isNext || hasNews) this.#streams.send('state', this.#state())
  }

  /** A page comes. @returns {import('../../export/http/server').Reply} */
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
    if (this.#streams.size > 0) this.#pending.set(record.id, record)
  }

  /** What was told as a block was none. @param {string} id */
  drop (id) {
    this.#pending.delete(id)
    this.#streams.send('gone', { id })
  }

  close () {
    this.#streams.close()
  }
}

/** A record as a line of the list. @param {BlockRecord} record */
function rowOf ({ id, pid, worker, thread, threadId, startedAt, durationMs, ongoing, startup, cause, frame, request, origin, profile }) {
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
    profile: profile?.call ? { call: profile.call } : null,
    origin: origin && { function: origin.frame.function, file: origin.frame.file, line: origin.frame.line }
  }
}

exports.LivePage = LivePage
