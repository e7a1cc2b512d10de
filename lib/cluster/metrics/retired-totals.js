'use strict'

const { openLabels } = require('../../tables/metrics')
const { setOf, shared } = require('./labels')
const { OTHER } = require('../../util/overflow-label')

/** Most series that the retired workers of a slot may leave. Further ones go to (other). */
const MOST_SERIES = 5000

/**
 * @typedef {import('../../types').Metric} Metric
 * @typedef {import('../../types').Value} Value
 * @typedef {Map<string, Value[]>} SampleSets of one metric, by labels: a counter's sample, or all of a histogram's
 * @typedef {{ metric: Metric, sets: SampleSets }} Retired
 */

/** @param {Metric} metric */
const isTotal = ({ type }) => type === 'counter' || type === 'histogram'

/** The sums of the counters and histograms of all workers that had a slot before. */
class RetiredTotals {
  /** @type {Map<string, Retired>} by name */
  #metrics = new Map()
  #size = 0
  #mostSeries

  constructor (mostSeries = MOST_SERIES) {
    this.#mostSeries = mostSeries
  }

  /** @param {Metric[]} metrics */
  add (metrics) {
    for (const metric of metrics.filter(isTotal)) {
      const { sets } = this.#retired(metric)
      for (const value of metric.values) this.#addTo(sets, value)
    }
  }

  /** @param {Metric} metric @returns {Retired} */
  #retired (metric) {
    const retired = this.#metrics.get(metric.name) ?? { metric: { ...metric, values: [] }, sets: new Map() }
    this.#metrics.set(metric.name, retired)
    return retired
  }

  /** @param {SampleSets} sets @param {Value} value */
  #addTo (sets, { labels: own, value, metricName, exemplar }) {
    // The first sample of a set decides: a histogram is kept whole or goes to (other) whole.
    const isOpen = sets.has(setOf(own)) || this.#size < this.#mostSeries
    const labels = isOpen ? own : closed(own)
    const key = setOf(labels)
    const samples = sets.get(key) ?? []
    if (samples.length === 0) sets.set(key, samples)
    const sample = samples[find(samples, metricName, labels, 0)]
    if (sample === undefined) {
      samples.push({ labels, value, metricName, exemplar })
      this.#size++
    } else {
      sample.value += value
      sample.exemplar = exemplar ?? sample.exemplar
    }
  }

  /** The metrics of the living worker with the retired totals added; gauges are unchanged. @param {Metric[]} living */
  plus (living) {
    return this.#sum(living) ?? this.#merge(living)
  }

  /** The sum if both have the same buckets in the same order, as they nearly always do. @param {Metric[]} living */
  #sum (living) {
    const rest = new Map(this.#metrics)
    /** @type {Metric[]} */
    const sums = []
    for (const metric of living) {
      const retired = isTotal(metric) ? rest.get(metric.name) : undefined
      rest.delete(metric.name)
      const values = retired === undefined ? metric.values : sumOf(metric.values, retired.sets)
      if (values === null) return null
      sums.push(values === metric.values ? metric : { ...metric, values })
    }
    return [...sums, ...[...rest.values()].map(whole)]
  }

  /** The sum whatever the buckets are. @param {Metric[]} living */
  #merge (living) {
    // No series of the living worker goes to (other): it would be gone, or smaller, one scrape later.
    const merged = new RetiredTotals(Infinity)
    merged.add([...this.#metrics.values()].map(whole))
    merged.add(living)
    return [...[...merged.#metrics.values()].map(whole), ...living.filter((metric) => !isTotal(metric))]
  }
}

/**
 * Adds the samples of retired workers to those of a living worker's metric, one set of labels after the other. null if
 * a set has other buckets or another order, as another version of the application may have.
 * @param {Value[]} living @param {SampleSets} retired
 */
function sumOf (living, retired) {
  const unmet = new Map(retired)
  /** @type {Value[]} */
  const values = []
  /** @type {Value[] | undefined} */
  let samples
  let at = 0
  for (const value of living) {
    const set = setOf(value.labels)
    const own = retired.get(set)
    if (own !== samples) {
      if (isPart(samples, at)) return null
      samples = own
      at = 0
    }
    if (own === undefined) {
      values.push(value)
      continue
    }
    if (!isSame(own[at], value.metricName, value.labels)) return null
    values.push({ ...value, value: value.value + own[at].value, exemplar: value.exemplar ?? own[at].exemplar })
    if (++at === own.length) unmet.delete(set)
  }
  if (isPart(samples, at)) return null
  for (const left of unmet.values()) values.push(...left)
  return values
}

/**
 * Where a sample is in its set, -1 if it is not there.
 * @param {Value[]} samples @param {string | undefined} metricName
 * @param {Value['labels']} labels @param {number} likely
 */
function find (samples, metricName, labels, likely) {
  if (isSame(samples[likely], metricName, labels)) return likely
  return samples.findIndex((sample) => isSame(sample, metricName, labels))
}

/** @param {Value | undefined} sample @param {string | undefined} metricName @param {Value['labels']} labels */
function isSame (sample, metricName, { le }) {
  return sample !== undefined && sample.metricName === metricName && sample.labels.le === le
}

/** @param {Value[] | undefined} samples @param {number} count */
function isPart (samples, count) {
  return samples !== undefined && count < samples.length
}

/** @param {Value['labels']} labels */
function closed (labels) {
  const entries = Object.entries(labels).map(([name, value]) => [name, openLabels.includes(name) ? OTHER : value])
  return shared(Object.fromEntries(entries))
}

/** @param {Retired} retired @returns {Metric} */
function whole ({ metric, sets }) {
  return { ...metric, values: [...sets.values()].flat() }
}

exports.RetiredTotals = RetiredTotals
exports.isTotal = isTotal
