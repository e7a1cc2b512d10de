'use strict'

const { nowMs } = require('../../util/clock')
const { BYTES_PER_MB, MS_PER_S } = require('../../util/units')
const { GC_KINDS } = require('../../bridge/memory')
const { ABORTED, unpack, unpackWork } = require('../../bridge/request-row')
const { OTHER } = require('../../tables/limits')
const { SECONDS } = require('../page-feed/history')
const { residentBytes } = require('../../util/usage')

/**
 * @import { BlockRecord } from '../../types'
 * @import { Bridge } from '../../bridge/memory'
 * @import { Trace } from '../../export/timeline/trace-events'
 * @import { History, Second } from '../page-feed/history'
 * @import { OnEnd } from '../requests/stats'
 * @import { Scrape } from '../scrape'
 */

/** The number of a name (Uint32), when it began (Float64), its length and how long it waited (Float32). */
const BYTES_PER_ROW = 4 + 8 + 4 + 4

/** The latest spans of one kind, a bounded number of them. All memory is allocated at once and used as spans come. */
class SpanRing {
  #capacity
  #names
  #startsMs
  #lengthsMs
  #waitsMs
  #count = 0

  /** @param {number} capacity rows */
  constructor (capacity) {
    this.#capacity = capacity
    this.#names = new Uint32Array(capacity)
    this.#startsMs = new Float64Array(capacity)
    this.#lengthsMs = new Float32Array(capacity)
    this.#waitsMs = new Float32Array(capacity)
  }

  /** @param {number} name a number @param {number} startMs @param {number} durationMs */
  add (name, startMs, durationMs, waitedMs = 0) {
    const at = this.#count++ % this.#capacity
    this.#names[at] = name
    this.#startsMs[at] = startMs
    this.#lengthsMs[at] = durationMs
    this.#waitsMs[at] = waitedMs
  }

  get #first () {
    return Math.max(0, this.#count - this.#capacity)
  }

  /** Everything that ended after this is here; -Infinity until the ring was full. */
  get completeSinceMs () {
    const at = this.#first % this.#capacity
    return this.#first === 0 ? -Infinity : this.#startsMs[at] + this.#lengthsMs[at]
  }

  /**
   * @param {number} fromMs @param {number} toMs
   * @returns {{ name: number, startMs: number, durationMs: number, waitedMs: number }[]} in the order they came
   */
  within (fromMs, toMs) {
    const rows = []
    for (let i = this.#first; i < this.#count; i++) {
      const at = i % this.#capacity
      const [startMs, durationMs] = [this.#startsMs[at], this.#lengthsMs[at]]
      if (startMs > toMs || startMs + durationMs < fromMs) continue
      rows.push({ name: this.#names[at], startMs, durationMs, waitedMs: this.#waitsMs[at] })
    }
    return rows
  }
}

/** @typedef {{ fromMs: number, toMs: number }} Range Unix times in ms */

/**
 * @param {object} parts @param {{ timeline: Pick<Timeline, 'within'> }} parts.page
 * @param {() => BlockRecord[]} parts.records newest first, those in progress included
 * @param {Pick<Scrape, 'drainGc' | 'drainWork'>} parts.scrape that fills the timeline
 * @param {Range} range @returns {Trace}
 */
exports.gatherTrace = ({ page, records, scrape }, { fromMs, toMs }) => {
  scrape.drainGc()
  scrape.drainWork()
  const wallOffsetMs = Date.now() - nowMs()
  const range = { fromMs: fromMs - wallOffsetMs, toMs: toMs - wallOffsetMs }
  return {
    pid: process.pid,
    title: `node ${process.pid}`,
    wallOffsetMs,
    ...range,
    ...page.timeline.within(range.fromMs, range.toMs),
    blocks: records().filter(({ startedAt, durationMs }) => {
      const startMs = Date.parse(startedAt)
      return startMs <= toMs && startMs + durationMs >= fromMs
    })
  }
}

/** Time kept before and after a block: it shows what led to it and who waited. */
const AROUND_MS = 15 * MS_PER_S

/** Keeps the timeline around a block next to its record. A burst of blocks shares one file each 15 seconds. */
class TimelineKeeper {
  #parts
  /** @type {{ id: string, startMs: number, dueAtMs: number } | null} */
  #awaited = null
  #isWriting = false

  /**
   * @param {Parameters<typeof exports.gatherTrace>[0] & { keep: (id: string, text: string) => void,
   * onThrow: (error: Error) => void }} parts
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
    if (awaited === null || this.#isWriting) return
    this.#isWriting = true
    try {
      const { writeTrace } = require('../../export/timeline/trace-events')
      this.#parts.keep(awaited.id, await writeTrace(this.#trace(awaited.startMs)))
    } catch (error) {
      this.#parts.onThrow(error)
    } finally {
      this.#isWriting = false
    }
  }

  /** @param {number} startMs of a block, monotonic */
  #trace (startMs) {
    const toMs = Date.now()
    return exports.gatherTrace(this.#parts, { fromMs: toMs - (nowMs() - startMs) - AROUND_MS, toMs })
  }

  /** Writes the timeline of the awaited block as far as it has come. */
  stop () {
    return this.#take()
  }
}

/** A request from this length on has a ring of its own, so that a flood of short ones does not push it out. */
const SLOW_MS = 10
/** Rows of each ring. At 27 slow requests per second, 16384 last ten minutes; 8192 short ones are the last of many. */
const ROWS = { slow: 16384, fast: 8192, works: 8192, turns: 8192, gc: 8192 }

/** The bytes of the rings, allocated once: 960 kB, of which a page becomes resident when it is first written. */
exports.RING_BYTES = Object.values(ROWS).reduce((sum, rows) => sum + rows * BYTES_PER_ROW, 0)

/** The last ten minutes of the process: what ran, and counters by seconds. Times are monotonic. */
class Timeline {
  #bridge
  #history
  #slow = new SpanRing(ROWS.slow)
  #fast = new SpanRing(ROWS.fast)
  #works = new SpanRing(ROWS.works)
  #turns = new SpanRing(ROWS.turns)
  #gc = new SpanRing(ROWS.gc)
  /** Values by second. @type {({ second: number, values: (Values | null)[] } | undefined)[]} */
  #samples = new Array(SECONDS)

  /** @param {Pick<Bridge, 'turns' | 'routes' | 'workNames' | 'heap' | 'counters'>} bridge @param {History} history */
  constructor (bridge, history) {
    this.#bridge = bridge
    this.#history = history
  }

  /** @type {OnEnd} a request, packed as in request-row.js */
  request (packed, startMs, durationMs, waitedMs) {
    const ring = durationMs < SLOW_MS ? this.#fast : this.#slow
    ring.add(packed, startMs, durationMs, waitedMs)
  }

  /** @type {OnEnd} other work */
  work (packed, startMs, durationMs, waitedMs) {
    this.#works.add(packed, startMs, durationMs, waitedMs)
  }

  /** @param {number} startMs @param {number} durationMs @param {number} kind in GC_KINDS, -1 = another */
  pause (startMs, durationMs, kind) {
    this.#gc.add(kind < 0 ? GC_KINDS.length : kind, startMs, durationMs)
  }

  /** A second has ended. @param {number} second its number in the history */
  endSecond (second) {
    this.#drain()
    this.#samples[second % SECONDS] = {
      second,
      values: counters.map((row) => 'read' in row ? row.read(this.#bridge) : null)
    }
  }

  #drain () {
    this.#bridge.turns.visit((numbers, at) => {
      this.#turns.add(0, numbers[at], numbers[at + 1])
      return true
    })
  }

  /** Everything that happened in a range. @param {number} fromMs @param {number} toMs */
  within (fromMs, toMs) {
    this.#drain()
    const rings = [this.#slow, this.#fast, this.#works, this.#turns, this.#gc]
    const { routes, workNames } = this.#bridge
    const requests = [this.#slow, this.#fast].flatMap((ring) => ring.within(fromMs, toMs)).map(({ name, ...span }) => {
      const { route, method, status } = unpack(name)
      const answer = status === ABORTED ? 'aborted' : status
      return { ...span, name: `${method} ${routes.stringOf(route) ?? OTHER}`, status: answer }
    })
    const works = this.#works.within(fromMs, toMs).map(({ name: packed, ...span }) => {
      const { name, kind } = unpackWork(packed)
      return { ...span, kind, name: workNames.stringOf(name) ?? OTHER }
    })
    return {
      requests,
      works,
      turns: this.#turns.within(fromMs, toMs),
      pauses: this.#gc.within(fromMs, toMs).map(({ name, ...span }) => ({ ...span, name: GC_KINDS[name] ?? 'other' })),
      counters: this.#countersWithin(fromMs, toMs),
      completeSinceMs: Math.max(...rings.map((ring) => ring.completeSinceMs))
    }
  }

  /** @param {number} fromMs @param {number} toMs @returns {Trace['counters']} */
  #countersWithin (fromMs, toMs) {
    const { seconds, second: last } = this.#history
    const first = last - seconds.length + 1
    return seconds.flatMap((each, i) => {
      const second = first + i
      const atMs = second * MS_PER_S
      if (atMs + MS_PER_S < fromMs || atMs > toMs) return []
      const sample = this.#samples[second % SECONDS]
      return counters.flatMap((row, at) => {
        const values = 'of' in row ? row.of(each) : sample?.second === second ? sample.values[at] : null
        return values === null ? [] : [{ name: row.name, atMs, values }]
      })
    })
  }
}

/** @param {number | null} bytes */
const inMb = (bytes) => bytes === null ? null : bytes / BYTES_PER_MB

/**
 * @typedef {Record<string, number | null>} Values by what the counter's lines are called
 * @typedef {{ name: string, of: (second: Second) => Values }} HistoryTrack from the history
 * @typedef {Pick<Bridge, 'heap' | 'counters'>} HostSources by the host
 * @typedef {{ name: string, read: (host: HostSources) => Values }} Sampled once a second, on this thread
 */

/** `of` takes it from the page's history, `read` is called each second. @type {(HistoryTrack | Sampled)[]} */
const counters = [
  {
    name: 'loop delay (ms)',
    of: ({ delayMax, delayP99, delayP50 }) => ({ max: delayMax, p99: delayP99, p50: delayP50 })
  },
  {
    name: 'loop utilization (%)',
    of: ({ utilization }) => ({ utilization: utilization === null ? null : utilization * 100 })
  },
  { name: 'requests per second', of: ({ requests }) => ({ requests }) },
  { name: 'request latency (ms)', of: ({ latencyP99, latencyP50 }) => ({ p99: latencyP99, p50: latencyP50 }) },
  {
    name: 'heap (MB)',
    read ({ heap }) {
      const { usedBytes, externalBytes } = heap.read() ?? { usedBytes: null, externalBytes: null }
      return { used: inMb(usedBytes), external: inMb(externalBytes) }
    }
  },
  { name: 'wait for the thread pool (ms)', read: ({ counters }) => ({ wait: counters.poolDelayMs }) },
  { name: 'resident memory (MB)', read: () => ({ resident: inMb(residentBytes()) }) }
]

exports.SpanRing = SpanRing
exports.TimelineKeeper = TimelineKeeper
exports.Timeline = Timeline
