'use strict'

/** @param {number[]} values */
const ascending = (values) => [...values].sort((a, b) => a - b)

/** The upper one of two in the middle, undefined for none. @param {number[]} values */
exports.median = (values) => ascending(values)[values.length >> 1]

/** Nearest rank: a measured value, 0 for none. @param {number[]} sorted ascending @param {number} share 0 to 1 */
exports.quantile = (sorted, share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0

/** To a tenth of a millisecond. @param {number} ms */
exports.roundMs = (ms) => Math.round(ms * 10) / 10

exports.ascending = ascending
