'use strict'

const { openLabels } = require('../../tables/metrics')
const { setOf, shared } = require('./series')
const { OTHER } = require('../../tables/limits')

/** @import { Family, Metric, Value } from '../../types' */

/** Most series of the retired workers of a slot. Further ones go to (other). */
const MOST_SERIES = 5000

/**
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
    const sample = samples.find((one) => one.metricName === metricName && one.labels.le === labels.le)
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
    // A series of the living worker that went to (other) would be gone, or smaller, one scrape later.
    const sum = new RetiredTotals(Infinity)
    sum.add(this.#totals())
    sum.add(living)
    return [...sum.#totals(), ...living.filter((metric) => !isTotal(metric))]
  }

  /** @returns {Metric[]} */
  #totals () {
    return [...this.#metrics.values()].map(({ metric, sets }) => ({ ...metric, values: [...sets.values()].flat() }))
  }
}

/** @param {Value['labels']} labels */
function closed (labels) {
  const entries = Object.entries(labels).map(([name, value]) => [name, openLabels.includes(name) ? OTHER : value])
  return shared(Object.fromEntries(entries))
}

/**
 * The metrics of all workers, each with the label `worker`. Counters and histograms are summed over all workers that
 * had the slot. Such a sum decreases only if the slot's retired workers left more series than the bound: those beyond
 * it move to (other). Gauges are those of living workers.
 */
class MetricsUnion {
  /** @type {Map<number, RetiredTotals>} by slot */
  #retired = new Map()
  /** @type {Map<number, { instance: string, metrics: Metric[] }>} the last worker of a slot, which may come back */
  #departed = new Map()

  /** @param {number} slot @param {string} instance @param {Metric[]} metrics its last */
  leave (slot, instance, metrics) {
    this.#departed.set(slot, { instance, metrics: metrics.filter(isTotal) })
  }

  /** From now on the worker's own metrics count. @param {number} slot @param {string} instance */
  join (slot, instance) {
    const departed = this.#departed.get(slot)
    this.#departed.delete(slot)
    // A worker that comes back still has its totals.
    if (departed === undefined || departed.instance === instance) return
    const retired = this.#retired.get(slot) ?? new RetiredTotals()
    this.#retired.set(slot, retired)
    retired.add(departed.metrics)
  }

  /** @param {Metric[]} own of the primary; a label `worker` stays @param {Map<number, Metric[]>} living by slot */
  of (own, living) {
    /** @type {Map<string, Family>} */
    const families = new Map()
    put(families, own, 'primary')
    const slots = new Set([...living.keys(), ...this.#departed.keys(), ...this.#retired.keys()])
    for (const slot of [...slots].sort((a, b) => a - b)) {
      const metrics = living.get(slot) ?? this.#departed.get(slot)?.metrics ?? []
      put(families, this.#retired.get(slot)?.plus(metrics) ?? metrics, `${slot}`)
    }
    return [...families.values()]
  }
}

/** @param {Map<string, Family>} families @param {Metric[]} metrics @param {string} worker */
function put (families, metrics, worker) {
  for (const { name, help, type, values } of metrics) {
    const family = families.get(name) ?? { name, help, type, groups: [] }
    families.set(name, family)
    // A family has one type. Another version of the package may give this metric another type.
    if (family.type === type) family.groups.push({ worker, values })
  }
}

exports.MetricsUnion = MetricsUnion
