'use strict'

const { table } = require('../../tables/metrics')
const { keyValues, nanos } = require('./values')
const { MS_PER_S } = require('../../util/units')

/** @import { Metric, Value } from '../../types' */
/** @import { KeyValue } from './values' */

const CUMULATIVE = 2
/** OpenTelemetry's codes. Yes-or-no values have no unit: `1` would be a ratio. */
const UNITS = /** @type {Record<string, string>} */ ({
  seconds: 's',
  bytes: 'By',
  requests: '{request}',
  works: '{work}',
  events: '{event}',
  workers: '{worker}'
})
const units = new Map(table.map(({ name, unit }) => [name, UNITS[unit] ?? '']))

/**
 * @typedef {{ startMs: number, nowMs: number }} Times wall times of the start of counting and of the reading
 * @typedef {{ labels: Value['labels'], bounds: number[], upTo: number[], count: number, sum: number,
 * exemplars: NonNullable<Value['exemplar']>[] }} Series of a histogram. `labels`: without `le`; `upTo`: how many values
 * were at most each bound
 */

/** The series in prom-client's list of values. @param {Metric} metric */
function histogramSeries ({ name, values }) {
  /** @type {Map<string, Series>} */
  const all = new Map()
  for (const { labels: { le, ...labels }, metricName, value, exemplar } of values) {
    const key = Object.values(labels).join('\n')
    const series = all.get(key) ?? { labels, bounds: [], upTo: [], count: 0, sum: 0, exemplars: [] }
    all.set(key, series)
    if (metricName === `${name}_sum`) series.sum = value
    else if (metricName === `${name}_count`) series.count = value
    else if (le !== '+Inf') {
      series.bounds.push(Number(le))
      series.upTo.push(value)
    }
    if (exemplar) series.exemplars.push(exemplar)
  }
  return [...all.values()]
}

/** @param {Series} series @param {Times} times @param {KeyValue[]} attributes */
function histogramPoint ({ bounds, upTo, count, sum, exemplars }, { startMs, nowMs }, attributes) {
  const last = upTo.length === 0 ? 0 : upTo[upTo.length - 1]
  return {
    attributes,
    bucketCounts: [...upTo.map((total, i) => total - (i === 0 ? 0 : upTo[i - 1])), count - last],
    explicitBounds: bounds,
    count,
    sum,
    startTimeUnixNano: nanos(startMs),
    timeUnixNano: nanos(nowMs),
    ...(exemplars.length > 0 && { exemplars: exemplars.map(exemplarOf) })
  }
}

/** @param {NonNullable<Value['exemplar']>} exemplar */
function exemplarOf ({ labelSet, value, timestamp }) {
  return { timeUnixNano: nanos(timestamp * MS_PER_S), asDouble: value, filteredAttributes: keyValues(labelSet) }
}

/** @param {number} value @param {Times} times @param {KeyValue[]} attributes */
function numberPoint (value, { startMs, nowMs }, attributes) {
  return { attributes, startTimeUnixNano: nanos(startMs), timeUnixNano: nanos(nowMs), asDouble: value }
}

/** @param {Metric} metric @param {Times} times @param {Record<string, string>} constant labels, in the resource */
exports.otlpMetric = (metric, times, constant) => {
  const { name, help: description, type, values } = metric
  const head = { name, description, unit: units.get(name) ?? '' }
  const attributesOf = (/** @type {Value['labels']} */ labels) => keyValues(without(labels, constant))
  if (type === 'histogram') {
    const dataPoints = histogramSeries(metric)
      .map((series) => histogramPoint(series, times, attributesOf(series.labels)))
    return { ...head, histogram: { aggregationTemporality: CUMULATIVE, dataPoints } }
  }
  const dataPoints = values.map(({ labels, value }) => numberPoint(value, times, attributesOf(labels)))
  return type === 'counter'
    ? { ...head, sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } }
    : { ...head, gauge: { dataPoints } }
}

/** @param {Value['labels']} labels @param {Record<string, string>} constant */
function without (labels, constant) {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !Object.hasOwn(constant, name)))
}

exports.CUMULATIVE = CUMULATIVE
exports.histogramPoint = histogramPoint
exports.histogramSeries = histogramSeries
exports.numberPoint = numberPoint
