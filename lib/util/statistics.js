'use strict'

/** @param {number[]} values */
const ascending = (values) => [...values].sort((a, b) => a - b)

/** The upper one of two in the middle, undefined for none. @param {number[]} values */
exports.median = (values) => ascending(values)[values.length >> 1]

/** Nearest rank: a measured value, 0 for none. @param {number[]} sorted ascending @param {number} share 0 to 1 */
exports.quantile = (sorted, share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0

/** To a tenth of a millisecond. @param {number} ms */
exports.roundMs = (ms) => Math.round(ms * 10) / 10

/** @template {string} K @param {Iterable<Record<K, number>>} items @param {K} key */
exports.sumOf = (items, key) => {
  let sum = 0
  for (const item of items) sum += item[key]
  return sum
}

/**
 * Adds to the number of a key, which is 0 at first.
 * @template K @param {Map<K, number>} map @param {K} key @param {number} number
 */
exports.addTo = (map, key, number) => { map.set(key, (map.get(key) ?? 0) + number) }

/** The key with the largest number. @template K @param {Map<K, number>} map @returns {K | undefined} */
exports.keyOfLargest = (map) => [...map].sort((a, b) => b[1] - a[1])[0]?.[0]

exports.ascending = ascending
