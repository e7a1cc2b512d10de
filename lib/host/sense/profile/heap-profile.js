'use strict'

const v8 = require('node:v8')
const { HEAP_PROFILE } = require('../../../bridge/messages')

/** @import { Counters } from '../../../bridge/counters' */

/**
 * A sample takes 7 us. Those of collected objects stay until the end: 10,000 in ten seconds at 1 GB/s, which takes 8 ms
 * to read. Less stays in use, so its samples are denser: a leak of 10 MB per minute has 20 that count.
 * @param {boolean} isCounting objects that were collected count, too
 */
const samplingOf = (isCounting) => ({
  sampleInterval: (isCounting ? 1024 : 64) * 1024,
  stackDepth: 32,
  includeObjectsCollectedByMajorGC: isCounting,
  includeObjectsCollectedByMinorGC: isCounting
})

/** Undefined before Node.js 26. Bound at load: an application may replace it. */
const { startHeapProfile } = /** @type {{ startHeapProfile?: (options: object) => { stop: () => string } }} */ (
  /** @type {unknown} */ (v8)
)

/**
 * V8's sampling heap profile of this thread, which the watchdog starts and ends. Only `v8.startHeapProfile()` ends in
 * milliseconds: the inspector's collects the whole heap first (scenarios/overhead/checks/heap-profile.js).
 */
class HeapProfile {
  /** @type {{ stop: () => string } | undefined} */
  #handle
  #counters
  #thresholdMs
  #send

  /** @param {Counters} counters @param {number} thresholdMs @param {(message: object) => void} send to the watchdog */
  constructor (counters, thresholdMs, send) {
    this.#counters = counters
    this.#thresholdMs = thresholdMs
    this.#send = send
  }

  /** @param {{ isStart: boolean, isCounting: boolean }} question isCounting: see samplingOf() */
  run ({ isStart, isCounting }) {
    // A start that meets an open request is not answered: the watchdog asks again. A stop may be asked for twice.
    if (isStart ? this.#counters.openWork > 0 : this.#handle === undefined) return
    this.#counters.hold('profileMicros', this.#thresholdMs, () => {
      const text = this.stop()
      try {
        if (isStart) this.#handle = startHeapProfile?.(samplingOf(isCounting))
      } catch {
        // V8 has one heap profile at a time: the application or another agent takes one.
      }
      this.#send({ code: HEAP_PROFILE, isOn: this.#handle !== undefined, text })
    })
  }

  /** The profile as text, null if there is none. */
  stop () {
    const handle = this.#handle
    this.#handle = undefined
    try {
      return handle?.stop() ?? null
    } catch {
      // A session of the inspector has ended it.
      return null
    }
  }
}

exports.HeapProfile = HeapProfile
exports.samplingOf = samplingOf
