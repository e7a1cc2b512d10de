'use strict'

/** The numbers of a beat in shared memory, in this order. */
const FIELDS = ['atMs', 'idleMs', 'activeMs', 'periodMs', 'cpuMs', 'rest', 'heldMicros']

/** Most reads of one beat, about 0.1 ms: a thread that is kept within a write may stay there. */
const READS = 1000

/** After a beat the loop turns, or it rests until the turn that ends with the next beat. */
const TURNS = 0
const RESTS = 1
/** V8 samples the resting loop, so its idle time is unknown: libuv counts it from the last signal only. */
const RESTS_SAMPLED = 2

/**
 * @typedef {object} Beat
 * @property {number} beats so far; 1 = the beat of start(), before the loop's first turn
 * @property {number} atMs monotonic
 * @property {number} idleMs time the loop has waited in its event provider since it started
 * @property {number} activeMs the rest of the time since it started
 * @property {number} periodMs until the next beat is due
 * @property {number | null} [cpuMs] of the thread so far; null if the watchdog asks the kernel, or if it is unknown
 * @property {number} [heldMicros] how long the agent itself had kept the thread by then (counters.js)
 * @property {number} [rest] RESTS or RESTS_SAMPLED: the loop runs at most one turn until the next beat
 */

/** The stamp of the shared memory comes before its parts, which hold Float64: they begin at multiples of 8 bytes. */
const STAMP_BYTES = 8

/** The host's last heartbeat. A seqlock: the version is odd while the host writes, and the writer never waits. */
class BeatSlots {
  static BYTES = 8 + FIELDS.length * 8

  #version
  #beats
  #floats
  /** The last that was whole; none is as in memory without a beat. @type {Beat} */
  #last = { beats: 0, atMs: 0, idleMs: 0, activeMs: 0, periodMs: 0, cpuMs: 0, rest: TURNS, heldMicros: 0 }

  /** @param {SharedArrayBuffer} memory @param {number} offset a multiple of 8 */
  constructor (memory, offset) {
    this.#version = new Int32Array(memory, offset, 1)
    this.#beats = new Int32Array(memory, offset + 4, 1)
    this.#floats = new Float64Array(memory, offset + 8, FIELDS.length)
  }

  /** @param {number} atMs @param {number} idleMs @param {number} activeMs @param {number} periodMs */
  write (atMs, idleMs, activeMs, periodMs, cpuMs = NaN, rest = TURNS, heldMicros = 0) {
    const floats = this.#floats
    Atomics.add(this.#version, 0, 1)
    floats[0] = atMs
    floats[1] = idleMs
    floats[2] = activeMs
    floats[3] = periodMs
    floats[4] = cpuMs
    floats[5] = rest
    floats[6] = heldMicros
    Atomics.add(this.#beats, 0, 1)
    Atomics.add(this.#version, 0, 1)
  }

  /** @returns {Beat} the one before if the host does not go on writing this one */
  read () {
    let [lastVersion, reads] = [-1, 0]
    for (;;) {
      const version = Atomics.load(this.#version, 0)
      reads = version === lastVersion ? reads + 1 : 0
      lastVersion = version
      const [atMs, idleMs, activeMs, periodMs, cpuMs, rest, heldMicros] = this.#floats
      const beat = { beats: this.beats, atMs, idleMs, activeMs, periodMs, cpuMs: orNull(cpuMs), rest, heldMicros }
      // An addition, not a load: loads of the floats could be moved behind a load.
      if (version % 2 === 0 && Atomics.add(this.#version, 0, 0) === version) return (this.#last = beat)
      if (reads === READS) return this.#last
    }
  }

  /** Beats so far. Wraps after eight months at a beat every 10 ms, when only equality matters. */
  get beats () {
    return Atomics.load(this.#beats, 0)
  }
}

/** A number from shared memory, where NaN stands for null. @param {number} value */
function orNull (value) {
  return Number.isNaN(value) ? null : value
}

exports.TURNS = TURNS
exports.RESTS = RESTS
exports.RESTS_SAMPLED = RESTS_SAMPLED
exports.BeatSlots = BeatSlots
exports.STAMP_BYTES = STAMP_BYTES
/** The heartbeat alone, without the modules of the other parts. @param {SharedArrayBuffer} memory */
exports.openBeat = (memory) => new BeatSlots(memory, STAMP_BYTES)
exports.orNull = orNull

/**
 * The shortest gap between two beats that can hide a block. A beat with a long period (of a calm worker thread) must
 * be half a threshold overdue: below that, many small turns and one block look the same.
 * @param {number} thresholdMs @param {number} periodMs after which the second beat was due
 */
exports.minBlockGapMs = (thresholdMs, periodMs) => Math.max(thresholdMs, periodMs + thresholdMs / 2)
