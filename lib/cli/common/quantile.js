'use strict'

/**
 * A quantile by the nearest rank: a measured value, not one between two; 0 if there are none.
 * @param {number[]} sorted ascending @param {number} share from 0 to 1
 */
exports.quantile = (sorted, share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
