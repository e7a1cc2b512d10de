'use strict'

const { OTHER } = require('../../tables/limits')
const { CUMULATIVE, histogramPoint, histogramSeries, numberPoint } = require('./metrics')
const { keyValues } = require('./values')

/** @import { Metric } from '../../types' */
/** @import { Series, Times } from './metrics' */

const MAIN = 'main'
const OTHER_METHOD = '_OTHER'
const QUANTILES = { p50: 0.5, p90: 0.9, p99: 0.99 }

/** @typedef {{ upTo: number[], count: number, sum: number }} Counts */

/**
 * The readings under OpenTelemetry's names, for dashboards that use them. Gauges cover the time since the last call.
 * https://opentelemetry.io/docs/specs/semconv/runtime/nodejs-metrics/
 */
class StandardMetrics {
  /** @type {Counts | null} */
  #delays = null
  #loopTime = { active: 0, idle: 0 }

  /** @param {Metric[]} metrics of the registry @param {Times} times */
  of (metrics, times) {
    const find = (/** @type {string} */ name) => metrics.find((metric) => metric.name === `loopwatch_${name}`)
    return [
      ...this.#delay(find('eventloop_delay_seconds'), find('block_longest_seconds'), times),
      ...this.#time(find('eventloop_time_seconds_total'), times),
      ...gcDuration(find('gc_duration_seconds'), times),
      ...heap(find, times),
      ...requestDuration(find('http_request_duration_seconds'), times)
    ]
  }

  /** @param {Metric | undefined} metric @param {Metric | undefined} longest @param {Times} times */
  #delay (metric, longest, times) {
    const series = metric && histogramSeries(metric).find(({ labels }) => labels.thread === MAIN)
    if (series === undefined) return []
    const { bounds, upTo, count, sum } = series
    const last = this.#delays ?? { upTo: bounds.map(() => 0), count: 0, sum: 0 }
    this.#delays = { upTo, count, sum }
    const fresh = { upTo: upTo.map((total, i) => total - last.upTo[i]), count: count - last.count, sum: sum - last.sum }
    // No timer has fired: the loop is blocked. The metrics of blocks show that.
    if (fresh.count <= 0) return []
    const longestS = longest?.values.find(({ labels }) => labels.thread === MAIN)?.value ?? 0
    const max = maximum(bounds, fresh, longestS)
    const at = (/** @type {number} */ share) => Math.min(max, quantile(bounds, fresh, share))
    const read = {
      mean: fresh.sum / fresh.count,
      max,
      ...Object.fromEntries(Object.entries(QUANTILES).map(([name, share]) => [name, at(share)]))
    }
    return Object.entries(read).map(([name, value]) =>
      gauge(`nodejs.eventloop.delay.${name}`, 's', `Event loop delay, ${name}`, value, times))
  }

  /** @param {Metric | undefined} metric @param {Times} times */
  #time (metric, times) {
    if (metric === undefined) return []
    const read = (/** @type {string} */ state) =>
      metric.values.find(({ labels }) => labels.thread === MAIN && labels.state === state)?.value ?? 0
    const last = this.#loopTime
    const loopTime = this.#loopTime = { active: read('active'), idle: read('idle') }
    // Subtract first: a loop that was always busy then has exactly 1, without rounding errors.
    const activeS = loopTime.active - last.active
    const totalS = activeS + (loopTime.idle - last.idle)
    const dataPoints = Object.entries(loopTime).map(([state, value]) =>
      numberPoint(value, times, keyValues({ 'nodejs.eventloop.state': state })))
    return [
      {
        name: 'nodejs.eventloop.time',
        description: 'Cumulative duration of time the event loop has been in each state',
        unit: 's',
        sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints }
      },
      ...(totalS > 0
        ? [gauge('nodejs.eventloop.utilization', '1', 'Event loop utilization', Math.min(1, activeS / totalS), times)]
        : [])
    ]
  }
}

/** @param {string} name @param {string} unit @param {string} description @param {number} value @param {Times} times */
function gauge (name, unit, description, value, times) {
  return { name, description, unit, gauge: { dataPoints: [numberPoint(value, times, [])] } }
}

/** Assumes an even distribution in a bucket. @param {number[]} bounds @param {Counts} counts @param {number} share */
function quantile (bounds, { upTo, count }, share) {
  const rank = share * count
  const i = upTo.findIndex((total) => total >= rank)
  if (i === -1) return bounds[bounds.length - 1]
  const below = i === 0 ? 0 : upTo[i - 1]
  const from = i === 0 ? 0 : bounds[i - 1]
  return from + (bounds[i] - from) * (rank - below) / Math.max(1, upTo[i] - below)
}

/**
 * The longest block if it lies in the last bucket with values, else the bucket's bound.
 * @param {number[]} bounds @param {Counts} counts @param {number} longestS block of the last minute
 */
function maximum (bounds, { upTo, count }, longestS) {
  const i = upTo.findIndex((total) => total >= count)
  if (i === -1) return Math.max(longestS, bounds[bounds.length - 1])
  const from = i === 0 ? 0 : bounds[i - 1]
  return longestS > from && longestS < bounds[i] ? longestS : bounds[i]
}

/** @param {Metric | undefined} metric @param {Times} times */
function gcDuration (metric, times) {
  return histogram('v8js.gc.duration', 'Garbage collection duration', metric, times,
    ({ kind }) => ({ 'v8js.gc.type': kind }))
}

/** All spaces of the heap together. @param {(name: string) => Metric | undefined} find @param {Times} times */
function heap (find, times) {
  return ['used', 'limit'].flatMap((what) => {
    const value = find(`heap_${what}_bytes`)?.values[0]?.value
    return value ? [gauge(`v8js.memory.heap.${what}`, 'By', `Heap of the main thread, ${what}`, value, times)] : []
  })
}

/** @param {Metric | undefined} metric @param {Times} times */
function requestDuration (metric, times) {
  return histogram('http.server.request.duration', 'Duration of HTTP server requests', metric, times,
    ({ method, route, status_class: status }) => ({
      'http.request.method': method === OTHER ? OTHER_METHOD : method,
      'http.route': route,
      // There is no count by exact status: one series for each would be too many.
      'loopwatch.http.status_class': status,
      'error.type': status === '5xx' || status === 'aborted' ? status : null
    }))
}

/**
 * @param {string} name @param {string} description @param {Metric | undefined} metric @param {Times} times
 * @param {(labels: Record<string, any>) => Record<string, string | null>} attributesOf
 */
function histogram (name, description, metric, times, attributesOf) {
  const all = metric === undefined ? [] : histogramSeries(metric)
  if (all.length === 0) return []
  const dataPoints = all.map((series) => histogramPoint(series, times, keyValues(attributesOf(series.labels))))
  return [{ name, description, unit: 's', histogram: { aggregationTemporality: CUMULATIVE, dataPoints } }]
}

exports.StandardMetrics = StandardMetrics
