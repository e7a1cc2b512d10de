'use strict'

/** Numerical Recipes' generator, which no compiler can shorten: each step needs the one before. */
const MULTIPLIER = 1664525
const INCREMENT = 1013904223
const ROUNDS = 10
/** Some 20 ms. */
const ROUND_STEPS = 2e7

/**
 * Steps of one call: short, so that V8 compiles the function as called often rather than in mid-loop, which was five
 * times slower.
 */
const CHUNK = 10000

/** @param {number} value @param {number} steps */
function chunk (value, steps) {
  for (let i = 0; i < steps; i++) value = (Math.imul(value, MULTIPLIER) + INCREMENT) | 0
  return value
}

/** This number of steps, one after the other. The value proves that they were made. @param {number} steps */
function work (steps) {
  let value = 1
  for (let left = steps; left > 0; left -= CHUNK) value = chunk(value, Math.min(left, CHUNK))
  return value
}

/** The original's loop: beyond 2^31 V8 counts in floating point, on either side of a fork. @param {number} limit */
function countTo (limit) {
  let counter = 0
  while (counter < limit) counter++
  return counter
}

/** Steps in a millisecond on this machine when nobody disturbs: the best of some rounds. */
function calibrate () {
  work(ROUND_STEPS)
  const rates = Array.from({ length: ROUNDS }, () => {
    const sinceMs = performance.now()
    work(ROUND_STEPS)
    return ROUND_STEPS / (performance.now() - sinceMs)
  })
  return Math.round(Math.max(...rates))
}

exports.work = work
exports.countTo = countTo
exports.calibrate = calibrate
