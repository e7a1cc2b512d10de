'use strict'

const { pbkdf2Sync } = require('node:crypto')

const HASH_MS = 20
const PROBE_ROUNDS = 2000

const sleeper = new Int32Array(new SharedArrayBuffer(4))
let roundsPerMs = 0

/** How many rounds a millisecond holds here; called before the truth begins, as it blocks itself. */
exports.calibrate = () => {
  const fromMs = performance.now()
  pbkdf2Sync('secret', 'salt', PROBE_ROUNDS, 32, 'sha512')
  roundsPerMs = PROBE_ROUNDS / (performance.now() - fromMs)
}

/** The ways to block a thread, by name. @type {Record<string, (ms: number) => void>} */
exports.blocks = {
  buildReport (ms) {
    const end = performance.now() + ms
    let rows = ''
    while (performance.now() < end) rows = `${rows.slice(0, 100)}${Math.sqrt(rows.length)};`
  },
  hashPasswords (ms) {
    const end = performance.now() + ms
    for (let left = ms; left > 0; left = end - performance.now()) {
      pbkdf2Sync('secret', 'salt', Math.max(1, Math.round(Math.min(left, HASH_MS) * roundsPerMs)), 32, 'sha512')
    }
  },
  waitForLock (ms) {
    Atomics.wait(sleeper, 0, 0, ms)
  }
}

/**
 * Blocks, and says what that was in truth.
 * @param {{ kind: string, ms: number }} order
 * @returns {import('../match').Truth}
 */
exports.block = ({ kind, ms }) => {
  const startedAt = Date.now()
  const fromMs = performance.now()
  exports.blocks[kind](ms)
  return { kind, startedAt, ms: performance.now() - fromMs }
}
