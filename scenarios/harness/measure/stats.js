'use strict'

/**
 * Two-sided 95% quantiles of Student's t distribution by degrees of freedom, from 1 on (any printed
 * table, NIST's for one). Five repeats leave 4, where the normal 1.96 would claim a third too much.
 */
const T95 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042
]
const T95_BEYOND = 1.96

/** @param {number[]} numbers */
const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length

/** @param {number[]} numbers at least one */
function median (numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Standard deviation of a sample: n - 1. @param {number[]} numbers at least two */
function standardDeviation (numbers) {
  const middle = mean(numbers)
  return Math.sqrt(numbers.reduce((sum, number) => sum + (number - middle) ** 2, 0) / (numbers.length - 1))
}

/** Below that an interval is wider than anything it could tell. */
const FEWEST = 3

/**
 * Median, range and Student's t interval. It is taken on logarithms, as noise multiplies rates and
 * durations: so it is one of the median and never below 0. Figures that are 0 take it as they are.
 * @param {number[]} samples at least one
 * @returns {import('../interface').Summary}
 */
exports.summarise = (samples) => ({
  median: median(samples),
  min: Math.min(...samples),
  max: Math.max(...samples),
  ci95:
    samples.length < FEWEST
      ? null
      : Math.min(...samples) > 0
        ? /** @type {[number, number]} */ (interval(samples.map(Math.log)).map(Math.exp))
        : interval(samples),
  samples
})

/**
 * The mean difference of two cells' runs in pairs: repeat i of one ran in the same round as repeat i of the other, so
 * what slowed the machine is in both. A cell that was interrupted has one pair less.
 * @param {number[]} as @param {number[]} bs
 */
exports.differenceOf = (as, bs) => {
  const differences = as.slice(0, bs.length).map((a, i) => a - bs[i])
  const isFew = differences.length < FEWEST
  return {
    pairs: differences.length,
    middle: mean(differences),
    deviation: isFew ? null : standardDeviation(differences),
    ci95: isFew ? null : interval(differences)
  }
}

/**
 * Half the width of the interval around the mean of this number of values.
 * @param {number} count @param {number} deviation
 */
const halfOf = (count, deviation) => (T95[count - 2] ?? T95_BEYOND) * deviation / Math.sqrt(count)

/** @param {number[]} samples @returns {[number, number]} */
function interval (samples) {
  const half = halfOf(samples.length, standardDeviation(samples))
  return [mean(samples) - half, mean(samples) + half]
}

/**
 * A quantile of a Prometheus histogram, linear within its bucket.
 * @param {[bound: number, cumulative: number][]} buckets ascending, the last one's bound Infinity
 * @param {number} q 0 to 1
 */
exports.quantileOfBuckets = (buckets, q) => {
  const total = buckets.at(-1)?.[1] ?? 0
  if (total === 0) return 0
  const rank = q * total
  const at = buckets.findIndex(([, cumulative]) => cumulative >= rank && cumulative > 0)
  const [low, before] = at === 0 ? [0, 0] : buckets[at - 1]
  const [bound, cumulative] = buckets[at]
  // Nothing is known of the open bucket but where it begins.
  if (bound === Infinity) return low
  return low + (bound - low) * (rank - before) / (cumulative - before)
}

exports.FEWEST = FEWEST
exports.halfOf = halfOf
exports.median = median
