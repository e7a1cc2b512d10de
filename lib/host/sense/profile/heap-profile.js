'use strict'

const v8 = require('node:v8')
const { ALLOCATIONS } = require('../../../bridge/messages')

/** A sample for so many bytes on average, V8's own default: 60 in 30 MB, which a loop that allocates makes in 50 ms. */
const INTERVAL_BYTES = 512 * 1024
/** Deep enough for the application's function below those of packages; each frame takes time at each sample. */
const FRAMES = 32

/** @typedef {{ stop: () => string }} Handle newer than the types we check against */

/** Collected objects count, as garbage is sought. An inspector's profile would begin with a full collection. */
const OPTIONS = {
  sampleInterval: INTERVAL_BYTES,
  stackDepth: FRAMES,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true
}

/** V8's sampling heap profile of this thread. It has one at a time: if another tool has it, ours does not start. */
class HeapProfile {
  /** @type {Handle | null} */
  #handle = null
  /** A question within a native call arrives after the call: by then its profile may no longer be wanted. */
  #endedRound = 0
  #send
  #hold

  /**
   * @param {(message: object) => void} send to the watchdog
   * @param {(step: () => void) => void} [hold] for a step that is no block of the application
   */
  constructor (send, hold = (step) => step()) {
    this.#send = send
    this.#hold = hold
  }

  /**
   * Also called at an interrupt, so it never throws.
   * @param {import('../../../types').AllocationsAction} action @param {number} round which profile is meant, from 1
   */
  run (action, round) {
    this.#hold(() => {
      if (action === 'start') this.#start(round)
      else if (action === 'take') this.#send({ code: ALLOCATIONS, round, text: this.#end(round) })
    })
  }

  /** @param {number} round */
  #start (round) {
    if (round <= this.#endedRound || this.#handle !== null) return
    try {
      this.#handle = /** @type {any} */ (v8).startHeapProfile(OPTIONS)
    } catch {
      // Another tool has it.
    }
  }

  /** @param {number} round @returns {string | null} the profile, if there is one */
  #end (round) {
    const handle = this.#handle
    this.#handle = null
    this.#endedRound = Math.max(round, this.#endedRound)
    try {
      return handle?.stop() ?? null
    } catch {
      // Another tool has ended it.
      return null
    }
  }

  stop () {
    this.#end(Infinity)
  }
}

exports.HeapProfile = HeapProfile
