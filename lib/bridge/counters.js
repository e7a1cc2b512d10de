'use strict'

const { nowMs } = require('../util/clock')
const { US_PER_MS } = require('../util/units')

/**
 * Numbers that the host counts and the watchdog reads, by slot. The watchdog sets `heard` when it monitors the thread,
 * `released` when it has stopped or a worker thread need not beat any longer, `seesSleep` if it sees by itself whether
 * the main loop waits for events, and the slots of setWoken(), setPoolDelay() and setBusy(). A worker thread sets
 * `ended` when it exits; `userMs` and `systemMs` are its CPU time if the kernel does not report it. The agent itself
 * kept the thread for `agentMicros`, its profiler for `profileMicros`; `holds` is odd while one of them does.
 * `ownBlockedMicros` is the part of both in pieces of at least a threshold. `loopTurns` is 0 if Node.js counts none.
 */
const SLOTS = [
  'inFlight', 'badRequest', 'badRoute', 'shedDelay', 'shedUtilization', 'agentMicros', 'holds', 'profileMicros',
  'ended', 'heard', 'released', 'userMs', 'systemMs', 'workInFlight', 'seesSleep', 'ownBlockedMicros',
  'wokeBeats', 'wokeMicros', 'wokeDoubtMicros', 'loopTurns', 'poolDelayMicros', 'busyMs'
]

const IN_FLIGHT = SLOTS.indexOf('inFlight')
const WORK_IN_FLIGHT = SLOTS.indexOf('workInFlight')

/**
 * @typedef {'inFlight' | 'badRequest' | 'badRoute' | 'shedDelay' | 'shedUtilization' | 'agentMicros' |
 * 'holds' | 'profileMicros' | 'ended' | 'heard' | 'released' | 'userMs' | 'systemMs' | 'workInFlight' |
 * 'seesSleep' | 'ownBlockedMicros' | 'wokeBeats' | 'wokeMicros' | 'wokeDoubtMicros' | 'loopTurns' |
 * 'poolDelayMicros' | 'busyMs'} Slot
 * @typedef {object} Woken what the watchdog has seen of the turn that ends a rest
 * @property {number} beats of the beat that began the rest
 * @property {number} afterMs the turn began at most this long after that beat
 * @property {number} doubtMs and at most this much earlier
 */

/** Counters in shared memory, Int32. Those that only grow wrap after 2^31 and are read as differences. */
class Counters {
  static BYTES = SLOTS.length * 4 + SLOTS.length % 2 * 4

  #ints
  /** Host: CPU time of the agent itself. On a busy machine it is far less than the time that the thread was held. */
  heldCpuMs = 0
  #heldMs = 0

  /** @param {SharedArrayBuffer} memory @param {number} offset a multiple of 4 */
  constructor (memory, offset) {
    this.#ints = new Int32Array(memory, offset, SLOTS.length)
  }

  /** @param {Slot} slot @param {number} count may be negative */
  add (slot, count) {
    Atomics.add(this.#ints, SLOTS.indexOf(slot), count)
  }

  /**
   * Adds time in which the agent itself kept the thread. From the threshold on, it is a block caused by the agent.
   * @param {'agentMicros' | 'profileMicros'} slot @param {number} ms @param {number} thresholdMs
   * @param {number} [cpuMs] NaN if unknown
   */
  addHeldMs (slot, ms, thresholdMs, cpuMs = NaN) {
    const micros = Math.round(ms * US_PER_MS)
    this.#heldMs += ms
    this.heldCpuMs += Number.isNaN(cpuMs) ? ms : cpuMs
    this.add(slot, micros)
    if (ms >= thresholdMs) this.add('ownBlockedMicros', micros)
  }

  /**
   * Runs a step of the agent itself, which is not a block of the application. One step may interrupt another.
   * @template T @param {'agentMicros' | 'profileMicros'} slot @param {number} thresholdMs @param {() => T} step
   * @returns {T}
   */
  hold (slot, thresholdMs, step) {
    // The watchdog, which never holds, does not load it.
    const { threadCpuMs } = require('../util/usage')
    const startMs = nowMs() - this.#heldMs
    const startCpuMs = threadCpuMs() - this.heldCpuMs
    // Odd from here on, even if an earlier step did not come to its end: on top of a full stack everything throws.
    this.add('holds', 1 + (this.get('holds') & 1))
    try {
      return step()
    } finally {
      const tookCpuMs = threadCpuMs() - this.heldCpuMs - startCpuMs
      this.addHeldMs(slot, nowMs() - this.#heldMs - startMs, thresholdMs, tookCpuMs)
      this.add('holds', this.get('holds') & 1)
    }
  }

  /** How long the agent itself has kept the thread so far, which is not a block of the application. Wraps at 2^32. */
  get heldMicros () {
    return this.get('agentMicros') + this.get('profileMicros')
  }

  /** Open HTTP requests. One thread writes this twice a request, so without add()'s lock. @param {number} count */
  setInFlight (count) {
    this.#ints[IN_FLIGHT] = count
  }

  /** The same for named work. @param {number} count */
  setWorkInFlight (count) {
    this.#ints[WORK_IN_FLIGHT] = count
  }

  /** Watchdog: the turn that ends a rest has begun. @param {Woken} woken */
  setWoken ({ beats, afterMs, doubtMs }) {
    this.#set('wokeBeats', -1)
    this.#set('wokeMicros', Math.round(afterMs * US_PER_MS))
    this.#set('wokeDoubtMicros', Math.round(doubtMs * US_PER_MS))
    this.#set('wokeBeats', beats)
  }

  /** Host: what the watchdog has seen, null if nothing. @param {number} beats the last @returns {Woken | null} */
  woken (beats) {
    if (this.get('wokeBeats') !== beats) return null
    return { beats, afterMs: this.get('wokeMicros') / US_PER_MS, doubtMs: this.get('wokeDoubtMicros') / US_PER_MS }
  }

  /** How often the loop has turned. @param {number} count */
  setLoopTurns (count) {
    this.#set('loopTurns', count | 0)
  }

  /** Watchdog: how long work last waited for the thread pool. @param {number} ms */
  setPoolDelay (ms) {
    this.#set('poolDelayMicros', Math.round(ms * US_PER_MS))
  }

  get poolDelayMs () {
    return this.get('poolDelayMicros') / US_PER_MS
  }

  /** Watchdog: for how long the loop has been busy with short turns, 0 if it is not. @param {number} ms */
  setBusy (ms) {
    this.#set('busyMs', Math.round(ms))
  }

  /** @param {Slot} slot @param {number} value */
  #set (slot, value) {
    Atomics.store(this.#ints, SLOTS.indexOf(slot), value)
  }

  /** Watchdog: the count since the last call. @param {Slot} slot */
  take (slot) {
    return Atomics.exchange(this.#ints, SLOTS.indexOf(slot), 0)
  }

  /** @param {Slot} slot */
  get (slot) {
    return Atomics.load(this.#ints, SLOTS.indexOf(slot))
  }
}

exports.Counters = Counters
