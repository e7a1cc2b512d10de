'use strict'

const { US_PER_MS } = require('../util/units')

/**
 * Numbers that the host counts and the watchdog reads, by slot; of a worker thread `ended` (it exits) and, the other
 * way, `heard` (the watchdog knows it) and `released` (it need not beat any longer); where the kernel does not tell,
 * `userMs` and `systemMs` of its CPU time. Of the main thread `heard` says that the watchdog watches, `released` that
 * it has stopped, `seesSleep` that it sees by itself whether the loop waits for events. `agentMicros` is time in which
 * the agent itself kept the thread, `profileMicros` that of its profiler, and `profileHolds` is odd while that lasts;
 * `ownBlockedMicros` counts for how long the agent did so as a block does.
 */
const SLOTS = [
  'inFlight', 'badRequest', 'badRoute', 'shedDelay', 'shedUtilization', 'agentMicros', 'profileHolds', 'profileMicros',
  'ended', 'heard', 'released', 'userMs', 'systemMs', 'workInFlight', 'seesSleep', 'ownBlockedMicros'
]

const IN_FLIGHT = SLOTS.indexOf('inFlight')
const WORK_IN_FLIGHT = SLOTS.indexOf('workInFlight')

/**
 * @typedef {'inFlight' | 'badRequest' | 'badRoute' | 'shedDelay' | 'shedUtilization' | 'agentMicros' |
 * 'profileHolds' | 'profileMicros' | 'ended' | 'heard' | 'released' | 'userMs' | 'systemMs' | 'workInFlight' |
 * 'seesSleep' | 'ownBlockedMicros'} Slot
 */

/** Counters in shared memory, Int32: those that only grow wrap after 2^31 and are read as differences. */
class Counters {
  static BYTES = SLOTS.length * 4 + SLOTS.length % 2 * 4

  #ints

  /** @param {SharedArrayBuffer} memory @param {number} offset a multiple of 4 */
  constructor (memory, offset) {
    this.#ints = new Int32Array(memory, offset, SLOTS.length)
  }

  /** @param {Slot} slot @param {number} count may be negative */
  add (slot, count) {
    Atomics.add(this.#ints, SLOTS.indexOf(slot), count)
  }

  /**
   * Adds a time in which the agent itself kept the thread. One as long as a block is a block, of ours.
   * @param {'agentMicros' | 'profileMicros'} slot
   * @param {number} ms
   * @param {number} thresholdMs
   */
  addHeldMs (slot, ms, thresholdMs) {
    const micros = Math.round(ms * US_PER_MS)
    this.add(slot, micros)
    if (ms >= thresholdMs) this.add('ownBlockedMicros', micros)
  }

  /** How long the agent itself has kept the thread so far: no block of the application. Wraps at 2^32. */
  get heldMicros () {
    return this.get('agentMicros') + this.get('profileMicros')
  }

  /**
   * HTTP requests being worked on: written twice a request, by one thread, without the lock of add().
   * @param {number} count
   */
  setInFlight (count) {
    this.#ints[IN_FLIGHT] = count
  }

  /** The same of named work. @param {number} count */
  setWorkInFlight (count) {
    this.#ints[WORK_IN_FLIGHT] = count
  }

  /** Watchdog: how many since the last call. @param {Slot} slot */
  take (slot) {
    return Atomics.exchange(this.#ints, SLOTS.indexOf(slot), 0)
  }

  /** @param {Slot} slot */
  get (slot) {
    return Atomics.load(this.#ints, SLOTS.indexOf(slot))
  }
}

exports.Counters = Counters
