'use strict'

/** Computes for so many milliseconds. @param {number} ms */
module.exports = (ms) => {
  const endMs = performance.now() + ms
  let sum = 0
  do {
    for (let i = 0; i < 1000; i++) sum += i
  } while (performance.now() < endMs)
  return sum
}
