'use strict'

const { wait } = Atomics

/**
 * Sleeps, with the whole thread, until something holds or it has been long enough. It counts its own rounds: a test may
 * have stopped the clock.
 * @param {() => boolean} holds asked each millisecond
 * @param {number} longestMs
 */
exports.sleepUntil = (holds, longestMs) => {
  const never = new Int32Array(new SharedArrayBuffer(4))
  for (let sleptMs = 0; sleptMs < longestMs && !holds(); sleptMs++) wait(never, 0, 0, 1)
}
