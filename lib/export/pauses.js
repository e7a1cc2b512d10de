'use strict'

const { setImmediate } = require('node:timers/promises')

/** Pauses in long work, in which the watchdog polls the loop. @param {number} most items between two pauses */
exports.makePauses = (most) => {
  let count = 0
  return async (/** @type {number} */ items) => {
    count += items
    if (count < most) return
    count = 0
    await setImmediate()
  }
}
