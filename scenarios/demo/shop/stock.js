'use strict'

const WAIT_MS = 1300

/** Shared with the warehouse's threads; one of them holds it and is in no hurry. */
const lock = new Int32Array(new SharedArrayBuffer(4))

/** @param {import('./router').Input} input */
exports.waitForStockLock = function waitForStockLock ({ id }) {
  const state = Atomics.wait(lock, 0, 0, WAIT_MS)
  return { id, reserved: state !== 'timed-out' }
}
