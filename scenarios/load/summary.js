'use strict'

/** @typedef {{ avg: number, min: number, med: number, max: number, p90: number, p95: number, p99: number }} Summary */

/**
 * Linear interpolation at p * (n - 1), as k6 has it.
 * @param {ArrayLike<number>} sorted ascending, at least one
 * @param {number} p 0 to 1
 */
function percentile (sorted, p) {
  const at = p * (sorted.length - 1)
  const below = Math.floor(at)
  const above = Math.min(below + 1, sorted.length - 1)
  return sorted[below] + (sorted[above] - sorted[below]) * (at - below)
}

/**
 * The summary of a metric as k6 prints it. Zeros if there are no values.
 * @param {ArrayLike<number>} values
 * @returns {Summary}
 */
exports.summarise = (values) => {
  if (values.length === 0) return { avg: 0, min: 0, med: 0, max: 0, p90: 0, p95: 0, p99: 0 }
  const sorted = Float64Array.from(values).sort()
  return {
    avg: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    min: sorted[0],
    med: percentile(sorted, 0.5),
    max: sorted[sorted.length - 1],
    p90: percentile(sorted, 0.9),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99)
  }
}

exports.percentile = percentile
