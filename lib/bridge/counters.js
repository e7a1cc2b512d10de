'use strict'

const { nowMs } = require('../util/clock')
const { US_PER_MS } = require('../util/units')

/** Numbers of the host unless noted otherwise, by slot. A slot that is added goes last. */
const SLOTS = /** @type {const} */ ([
  'inFlight', // open HTTP requests
  'badRequest', // requests that could not be followed
  'badRoute', // calls of the option `route` that threw or returned something other than a name
  'shedDelay', // requests answered with 503 as the loop was late
  'shedUtilization', // and as it was busy
  'agentMicros', // for which the agent itself kept the thread; wraps
  'holds', // odd while the agent or its profiler keeps the thread
  'profileMicros', // for which the agent's profiler kept the thread; wraps
  'ended', // a worker thread has exited
  'heard', // watchdog: it monitors the thread
  'released', // watchdog: it has stopped, or the worker thread need not beat any longer
  'userMs', // CPU time of a worker thread, if the kernel does not report it
  'systemMs',
  'workInFlight', // pieces of named work
  'seesSleep', // watchdog: it sees by itself whether the main loop waits for events
  'ownBlockedMicros', // the part of agentMicros and profileMicros in pieces of at least a threshold
  'wokeBeats', // watchdog: setWoken()
  'wokeMicros',
  'wokeDoubtMicros',
  'loopTurns', // turns of the loop, 0 if Node.js does not count them
  'poolDelayMicros', // watchdog: how long work last waited for the thread pool
  'busyMs' // watchdog: how long the loop has been busy with short turns, 0 if it is not
])

const IN_FLIGHT = SLOTS.indexOf('inFlight')
const WORK_IN_FLIGHT = SLOTS.indexOf('workInFlight')

/**
 * @typedef {(typeof SLOTS)[number]} Slot
 * @typedef {object} Woken the turn that ends a rest, as the watchdog saw it
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

  /** Time for which the agent itself has kept the thread: no block of the application. Wraps at 2^32. */
  get heldMicros () {
    return this.get('agentMicros') + this.get('profileMicros')
  }

  /** Open HTTP requests. One thread writes this twice a request, so without add()'s lock. @param {number} count */
  setInFlight (count) {
    this.#ints[IN_FLIGHT] = count
  }

  /** Open named work, likewise. @param {number} count */
  setWorkInFlight (count) {
    this.#ints[WORK_IN_FLIGHT] = count
  }

  /** Open requests and pieces of named work. */
  get openWork () {
    return this.get('inFlight') + this.get('workInFlight')
  }

  /** Watchdog: the turn that ends a rest has begun. @param {Woken} woken */
  setWoken ({ beats, afterMs, doubtMs }) {
    this.#set('wokeBeats', -1)
    this.#set('wokeMicros', Math.round(afterMs * US_PER_MS))
    this.#set('wokeDoubtMicros', Math.round(doubtMs * US_PER_MS))
    this.#set('wokeBeats', beats)
  }

  /** Host: the turn as the watchdog saw it, if it did. @param {number} beats the last @returns {Woken | null} */
  woken (beats) {
    if (this.get('wokeBeats') !== beats) return null
    return { beats, afterMs: this.get('wokeMicros') / US_PER_MS, doubtMs: this.get('wokeDoubtMicros') / US_PER_MS }
  }

  /** @param {number} count */
  setLoopTurns (count) {
    this.#set('loopTurns', count | 0)
  }

  /** @param {number} ms */
  setPoolDelay (ms) {
    this.#set('poolDelayMicros', Math.round(ms * US_PER_MS))
  }

  get poolDelayMs () {
    return this.get('poolDelayMicros') / US_PER_MS
  }

  /** @param {number} ms */
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
