'use strict'

const v8 = require('node:v8')
const { ALLOCATIONS } = require('../../../bridge/messages')

/**
 * A sample for so many bytes on average, V8's own default: 60 in 30 MB, which a loop that allocates makes in 50 ms. A
 * shorter interval did not make lines better, a longer one (2 MB, 8 MB) did not make it cheaper.
 */
const INTERVAL_BYTES = 512 * 1024
/** Deep enough for the application's function below those of packages; each frame takes time at each sample. */
const FRAMES = 32

/** @typedef {{ stop: () => string }} Handle newer than the types we check against */

/**
 * Garbage is what is looked for, so objects that have been collected count as well. Through the inspector, taking a
 * profile would begin with a collection of the whole heap, and there is no way to do without.
 */
const OPTIONS = {
  sampleInterval: INTERVAL_BYTES,
  stackDepth: FRAMES,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true
}

/**
 * V8's sampling heap profile of this thread. There is one in a process: if another tool has it, starting throws.
 * @param {(message: object) => void} send to the watchdog
 */
exports.heapProfile = (send) => {
  /** @type {Handle | null} */
  let handle = null
  const take = () => {
    const taken = handle
    handle = null
    return taken?.stop() ?? null
  }
  /** Never throws: the watchdog calls it at an interrupt. @param {import('../../../types').AllocationsAction} action */
  return (action) => {
    try {
      if (action === 'start') handle ??= /** @type {any} */ (v8).startHeapProfile(OPTIONS)
      else if (action === 'take') send({ code: ALLOCATIONS, text: take() })
      else take()
    } catch {
      // Another tool has started one or ended ours: then there is nothing to tell.
      if (action === 'take') send({ code: ALLOCATIONS, text: null })
    }
  }
}
