'use strict'

/** By nearest rank: a measured value, or 0 for none. @param {number[]} sorted ascending @param {number} share 0 to 1 */
exports.quantile = (sorted, share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
