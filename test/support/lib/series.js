'use strict'

// Metrics of a worker, as a snapshot of its registry has them.

/** @typedef {import('../../../lib/types').Metric} Metric */

/** @param {number} value @param {Record<string, string | number>} [labels] @returns {Metric} */
const counter = (value, labels = {}) => ({ name: 'a_total', help: 'a', type: 'counter', values: [{ labels, value }] })

/** @param {number} value @returns {Metric} */
const gauge = (value) => ({ name: 'b', help: 'b', type: 'gauge', values: [{ labels: {}, value }] })

/** Six samples a set: the bound of 5000 series falls within one. */
const BOUNDS = [0.1, 0.5, 1, '+Inf']

/** @param {string[]} routes @param {number} [count] @returns {Metric} */
const histogram = (routes, count = 1) => ({
  name: 'h',
  help: 'h',
  type: 'histogram',
  values: routes.flatMap((route) => [
    ...BOUNDS.map((le, i) => ({ metricName: 'h_bucket', labels: { le, route }, value: count * (i + 1) })),
    { metricName: 'h_sum', labels: { route }, value: count },
    { metricName: 'h_count', labels: { route }, value: count * BOUNDS.length }
  ])
})

/** @param {number} from @param {number} count */
const routes = (from, count) => Array.from({ length: count }, (_, i) => `/${from + i}`)

exports.counter = counter
exports.gauge = gauge
exports.histogram = histogram
exports.routes = routes
