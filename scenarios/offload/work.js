'use strict'

/** Numerical Recipes' generator, which no compiler can shorten: each step needs the one before. */
const MULTIPLIER = 1664525
const INCREMENT = 1013904223
const CALIBRATION_MS = 200
const FIRST_STEPS = 1e6

/** So many steps, one after the other; the value is proof that they were made. @param {number} steps */
function work (steps) {
  let value = 1
  for (let i = 0; i < steps; i++) value = (Math.imul(value, MULTIPLIER) + INCREMENT) | 0
  return value
}

/** The original's loop: beyond 2^31 V8 counts in floating point, on either side of a fork. @param {number} limit */
function countTo (limit) {
  let counter = 0
  while (counter < limit) counter++
  return counter
}

/** Steps in a millisecond on this machine, from a loop long enough to be compiled. */
function calibrate () {
  work(FIRST_STEPS)
  let steps = FIRST_STEPS
  for (;;) {
    const sinceMs = performance.now()
    work(steps)
    const durationMs = performance.now() - sinceMs
    if (durationMs >= CALIBRATION_MS) return Math.round(steps / durationMs)
    steps *= 2
  }
}

exports.work = work
exports.countTo = countTo
exports.calibrate = calibrate
