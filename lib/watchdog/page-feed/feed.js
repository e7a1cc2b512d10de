'use strict'

const { nowMs } = require('../../util/clock')
const { EventStreams } = require('../../export/http/event-streams')
const { FreshDelays, History } = require('./history')
const { degraded: meanings } = require('../../tables/degraded')
const { RecentBlocks } = require('../requests/recent-blocks')
const { Timeline } = require('../timeline/timeline')
const { inputOf } = require('../../util/growth')
const { MS_PER_S } = require('../../util/units')
const { version } = require('../../../package.json')

/**
 * @import { Bridge } from '../../bridge/memory'
 * @import { Cluster } from '../../cluster/cluster'
 * @import { Reply } from '../../export/http/server'
 * @import { ResolvedOptions } from '../../options/table'
 * @import { BlockRecord, SlowIncident } from '../../types'
 * @import { Blocks } from '../blocks'
 * @import { Health } from '../health'
 * @import { LoopMonitor } from '../loop/monitor'
 * @import { SlowWatch } from '../slow/slow-watch'
 */

/** The least time between two messages about blocks: a thousand blocks per second go out in ten messages. */
const FLUSH_MS = 100

/** The page names the latest few incidents without a block. */
const SLOW = 3

/** Pages get the last ten minutes and all blocks, then the state each second. With no page, only history is kept. */
class PageFeed {
  #parts
  #delays
  #streams
  /** @type {Map<string, BlockRecord>} not sent yet */
  #pending = new Map()
  #flushAtMs = -Infinity
  /** @type {{ slow: Partial<SlowIncident>[], threads: ReturnType<SlowWatch['seeThreads']> }} */
  #others = { slow: [], threads: [] }
  /** Blocks whose final record is to come. @type {Set<string>} */
  #ended = new Set()
  /** Slow without a block, oldest first. @type {SlowIncident[]} */
  incidents = []

  /**
   * @param {object} parts @param {ResolvedOptions} parts.options
   * @param {Pick<Bridge, 'delays' | 'turns' | 'routes' | 'workNames' | 'heap' | 'counters' | 'peers' | 'waits'>}
   * parts.bridge
   * @param {Pick<LoopMonitor, 'state'>} parts.monitor @param {Pick<Blocks, 'records' | 'ongoing'>} parts.blocks
   * @param {Pick<Health, 'entries'>} parts.health @param {Pick<Cluster, 'blockedMs'>} parts.cluster
   */
  constructor (parts) {
    this.#parts = parts
    /** The blocks that requests may have waited for. */
    this.recent = new RecentBlocks()
    this.history = new History(nowMs(), parts.monitor.state)
    this.timeline = new Timeline(parts.bridge, this.history)
    this.#delays = new FreshDelays({ delays: parts.bridge.delays, boundsMs: this.history.delayBoundsMs })
    this.#streams = new EventStreams(() => this.#pending.clear())
  }

  get dueAtMs () {
    const hasNews = this.#streams.size > 0 && this.#pending.size > 0
    return hasNews ? Math.min(this.#flushAtMs, this.history.dueAtMs) : this.history.dueAtMs
  }

  /** @param {number} now */
  poll (now) {
    const isNext = now >= this.history.dueAtMs
    if (isNext) {
      this.history.endSecond(now, this.#parts.monitor.state, this.#delays.take())
      this.timeline.endSecond(this.history.second)
    }
    if (this.#streams.size === 0) return
    const hasNews = this.#pending.size > 0 && now >= this.#flushAtMs
    try {
      if (hasNews) {
        this.#streams.send('blocks', [...this.#pending.values()].map(rowOf))
        this.#pending.clear()
        this.#flushAtMs = now + FLUSH_MS
      }
      if (isNext || hasNews) this.#streams.send('state', this.#state())
      const waits = isNext ? this.recent.takeWaits() : []
      if (waits.length > 0) this.#streams.send('waits', waits)
    } catch {
      // A page must not end the watchdog. Pages reconnect, and get a 500 if sending still fails.
      this.#pending.clear()
      this.#streams.close()
    }
  }

  /** A page connects. @returns {Reply} */
  connect () {
    return this.#streams.connect(() => [['hello', this.#hello()], ['state', this.#state()]])
  }

  /** The messages that a page would receive if it connected now, for a recording. */
  snapshot () {
    return { hello: this.#hello(), state: this.#state() }
  }

  #hello () {
    const { options, blocks } = this.#parts
    return {
      version,
      node: process.versions.node,
      pid: process.pid,
      labels: options.labels,
      thresholdMs: options.threshold,
      keep: options.keep,
      startedAt: Date.now() - Math.round(process.uptime() * MS_PER_S),
      requests: options.requests !== 'off',
      seconds: this.history.seconds,
      blocks: blocks.records().map(rowOf),
      waits: this.recent.takeWaits(true)
    }
  }

  #state () {
    const { bridge: { counters, peers, waits }, health, cluster, blocks } = this.#parts
    return {
      at: Date.now(),
      second: this.history.second,
      ongoing: blocks.ongoing.map(rowOf),
      last: this.history.last,
      whole: this.history.whole,
      inFlight: counters.get('inFlight'),
      degraded: [...health.entries()].filter(([, isDegraded]) => isDegraded).map(([reason]) => meanings[reason]),
      workers: cluster.blockedMs?.length ?? null,
      peers: waits.read(peers).map(({ peer, open, count, sumMs }) => ({ peer, open, count, sumMs })),
      ...this.#others
    }
  }

  /** A block has entered a phase. @param {BlockRecord} record */
  put (record) {
    if (!record.ongoing && record.threadId === 0 && record.worker === null && !this.#ended.delete(record.id)) {
      this.#ended.add(record.id)
      this.history.addBlock(record.durationMs)
    }
    this.amend(record)
  }

  /** More is known of a block. @param {BlockRecord} record */
  amend (record) {
    if (this.#streams.size > 0) this.#pending.set(record.id, record)
  }

  /** @param {SlowIncident[]} list */
  showSlow (list) {
    this.incidents = list
    this.#others.slow = list.slice(-SLOW)
      .map(({ startedAt, durationMs, ongoing, message }) => ({ startedAt, durationMs, ongoing, message }))
  }

  /** Worker threads as they are now. @param {ReturnType<SlowWatch['seeThreads']>} threads */
  showThreads (threads) {
    this.#others.threads = threads
  }

  /** Removes a block that turned out to be none. @param {string} id */
  drop (id) {
    this.#pending.delete(id)
    this.#streams.send('gone', { id })
  }

  close () {
    this.#streams.close()
  }
}

/** A record as a line of the list. @param {BlockRecord} record */
function rowOf (record) {
  const { id, pid, worker, thread, threadId, startedAt, durationMs, ongoing, startup, samples } = record
  const { cause, excused, parts, frame, request, origin, profile, work, probable, generated } = record
  const input = inputOf(record)
  const summary = { id, pid, worker, thread, threadId, startedAt, durationMs, ongoing, startup, samples }
  return {
    ...summary,
    ...{ cause, excused, parts },
    frame: frame && {
      function: frame.function, file: frame.file, line: frame.line, exact: frame.exact, compiled: frame.compiled
    },
    probable: probable ?? null,
    ...(record.change && { change: record.change }),
    work: work ? { kind: work.kind, name: work.name, exact: work.exact } : null,
    allowed: record.allowed ?? null,
    ...(input && { input }),
    request: request && { method: request.method, route: request.route, exact: request.exact },
    profile: profile?.call ? { call: profile.call } : null,
    generated: generated ? { function: generated.function, line: generated.line } : null,
    origin: origin && { function: origin.frame.function, file: origin.frame.file, line: origin.frame.line }
  }
}

exports.rowOf = rowOf
exports.PageFeed = PageFeed
