'use strict'

/** Names of the functions that block, with the cause that the agent should give. */
const KINDS = /** @type {const} */ ({ buildReport: 'js', hashPasswords: 'native', waitForLock: 'sync-io' })

/** From well above the agent's threshold of 50 ms, so that none is a matter of opinion. */
const SHORTEST_MS = 80
const LONGEST_MS = 800
/** Two blocks must not become one. */
const SHORTEST_PAUSE_MS = 300
const LONGEST_PAUSE_MS = 2000

/**
 * Numbers from 0 to 1, the same each time for one seed (mulberry32).
 * @param {number} seed
 */
function makeRandom (seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6D2B79F5) >>> 0
    let x = Math.imul(state ^ (state >>> 15), 1 | state)
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * @typedef {object} PlannedBlock
 * @property {number} pauseMs before it
 * @property {keyof typeof KINDS} kind
 * @property {number} ms
 * @property {'request' | 'timer' | 'thread'} where in a request, in a timer, or in the worker thread
 */

/**
 * Blocks without end; short ones are as frequent as in life: durations are even on a logarithmic scale.
 * @param {number} seed
 * @returns {Generator<PlannedBlock, never>}
 */
exports.planBlocks = function * (seed) {
  const random = makeRandom(seed)
  const kinds = /** @type {(keyof typeof KINDS)[]} */ (Object.keys(KINDS))
  for (;;) {
    const at = random()
    const where = at < 0.6 ? 'request' : at < 0.85 ? 'timer' : 'thread'
    yield {
      pauseMs: SHORTEST_PAUSE_MS + random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS),
      // In a worker thread, only code that uses its CPU counts as a block.
      kind: where === 'thread' ? 'buildReport' : kinds[Math.floor(random() * kinds.length)],
      ms: Math.round(SHORTEST_MS * (LONGEST_MS / SHORTEST_MS) ** random()) + (where === 'thread' ? SHORTEST_MS : 0),
      where
    }
  }
}

exports.KINDS = KINDS
exports.makeRandom = makeRandom
