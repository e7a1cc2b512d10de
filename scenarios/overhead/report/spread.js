'use strict'

/** @param {number[]} numbers */
function spread (numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  const at = (/** @type {number} */ share) => sorted[Math.floor(share * (sorted.length - 1))]
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

/** @param {string} name @param {number[]} numbers @param {number} digits */
exports.print = (name, numbers, digits) => {
  const { median, low, high } = spread(numbers)
  const range = numbers.length > 1 ? `   (middle half: ${low.toFixed(digits)} to ${high.toFixed(digits)})` : ''
  console.log(`${name.padEnd(56)} ${median.toFixed(digits).padStart(8)}${range}`)
}
