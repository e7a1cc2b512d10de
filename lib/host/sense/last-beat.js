'use strict'

const { nowMs } = require('../../util/clock')
const { minBlockGapMs, TURNS } = require('../../bridge/beat')
const { writeHeap } = require('./heap')
const { loopTime, loopTurns } = require('./loop-time')
const { hasSchedstat, threadCpuMs } = require('../../util/usage')
const { US_PER_MS } = require('../../util/units')

/** @import { Bridge } from '../../bridge/memory' */

/** A turn from this length on stands in the timeline. */
const LONG_TURN_MS = 5
/** The heap is reported this often, and after each gap that can hide a block. */
const HEAP_MS = 1000
/** A block has its final record within this time: the watchdog waits for two seconds for a profile of it. */
const SETTLE_MS = 2500

/**
 * The last beat of a loop. The next one is due after its period; a gap between the two that can hide a block also goes
 * into a ring, with its exact ends: the watchdog may have been late or asleep, but the host cannot miss one.
 */
class LastBeat {
  #bridge
  #options
  #cpuNow = hasSchedstat() ? () => NaN : threadCpuMs
  #idleMs = 0
  #cpuMs = NaN
  #heldMicros = 0
  #heapAtMs = -Infinity
  #lateAtMs = -Infinity
  atMs = 0
  periodMs = 0
  /** The time that the thread had run, NaN unless V8 samples it. */
  ranMs = NaN

  /**
   * @param {Bridge} bridge
   * @param {{ threshold: number, onLate?: (atMs: number, idleMs: number) => void }} options see Heartbeat
   */
  constructor (bridge, options) {
    this.#bridge = bridge
    this.#options = options
  }

  /** @param {number} atMs @param {number} periodMs after which the next one is due @param {number} [ranMs] */
  write (atMs, periodMs, ranMs = NaN, rest = TURNS) {
    const { idle, active } = loopTime()
    const { beat, counters } = this.#bridge
    this.atMs = atMs
    this.periodMs = periodMs
    this.ranMs = ranMs
    this.#idleMs = idle
    this.#cpuMs = this.#cpuNow()
    this.#heldMicros = counters.heldMicros
    beat.write(atMs, idle, active, periodMs, this.#cpuMs, rest, this.#heldMicros)
  }

  /** The loop's idle time since. */
  get idleMs () {
    return loopTime().idle - this.#idleMs
  }

  /** The time since for which the agent itself kept the thread: no block of the application. */
  get heldMs () {
    return ((this.#bridge.counters.heldMicros - this.#heldMicros) | 0) / US_PER_MS
  }

  /** Whether a gap after it can hide a block. @param {number} gapMs */
  canHide (gapMs) {
    return gapMs >= minBlockGapMs(this.#options.threshold, this.periodMs)
  }

  /** Whether the running turn can hide a block, or one whose record may not be final yet. */
  get mayHaveBlock () {
    const atMs = nowMs()
    return atMs - this.#lateAtMs < SETTLE_MS || this.canHide(atMs - this.atMs - this.heldMs)
  }

  /** Reports the gap until now if it can hide a block. @param {number} atMs */
  reportGap (atMs) {
    const { heldMs, idleMs, periodMs } = this
    if (this.canHide(atMs - this.atMs - heldMs)) this.reportLate(atMs, { fromMs: this.atMs + heldMs, idleMs, periodMs })
  }

  /** @param {number} atMs @param {{ fromMs: number, idleMs: number, periodMs: number }} gap */
  reportLate (atMs, { fromMs, idleMs, periodMs }) {
    const { beat, lateBeats } = this.#bridge
    // Before the watchdog sees the gap: it reads the memory of a block with it.
    this.#reportHeap(atMs)
    this.#lateAtMs = atMs
    lateBeats.push(fromMs, atMs, idleMs, periodMs, beat.beats, this.#cpuNow() - this.#cpuMs)
    this.#options.onLate?.(atMs, loopTime().idle)
  }

  /** Reports that the loop turned at least this long until now. @param {number} atMs @param {number} durationMs */
  reportTurn (atMs, durationMs) {
    if (durationMs >= LONG_TURN_MS) this.#bridge.turns.push(atMs - durationMs, durationMs, 0)
  }

  /** @param {number} atMs */
  reportHeapIfDue (atMs) {
    if (atMs - this.#heapAtMs >= HEAP_MS) this.#reportHeap(atMs)
  }

  /** @param {number} atMs */
  #reportHeap (atMs) {
    this.#heapAtMs = atMs
    writeHeap(this.#bridge.heap)
    this.#bridge.counters.setLoopTurns(loopTurns())
  }
}

exports.LastBeat = LastBeat
