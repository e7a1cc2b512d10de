'use strict'

const { openLabels } = require('../../tables/metrics')
const { setOf, shared } = require('./labels')
const { OTHER } = require('../../util/other')

/** What the dead of one slot may leave; above it, what is new of them goes to (other). */
const MOST_SERIES = 5000

/** @typedef {import('../../types').Metric} Metric */
/** @typedef {import('../../types').Value} Value */
/** @typedef {{ metric: Metric, sets: Map<string, Value[]> }} Left of one metric, by labels: a counter's sample, or all of a histogram's */

/** @param {Metric} metric */
const isTotal = ({ type }) => type === 'counter' || type === 'histogram'

/** What the dead of one slot have left: the sums of their counters and histograms. */
class Bequest {
  /** @type {Map<string, Left>} by name */
  #metrics = new Map()
  #size = 0
  #mostSeries

  constructor (mostSeries = MOST_SERIES) {
    this.#mostSeries = mostSeries
  }

  /** @param {Metric[]} metrics */
  add (metrics) {
    for (const metric of metrics.filter(isTotal)) {
      const { sets } = this.#left(metric)
      for (const value of metric.values) this.#addTo(sets, value)
    }
  }

  /** @param {Metric} metric @returns {Left} */
  #left (metric) {
    const left = this.#metrics.get(metric.name) ?? { metric: { ...metric, values: [] }, sets: new Map() }
    this.#metrics.set(metric.name, left)
    return left
  }

  /** @param {Map<string, Value[]>} sets @param {Value} value */
  #addTo (sets, { labels: own, value, metricName, exemplar }) {
    // Decided by the first sample of a set: a histogram is kept whole or goes to (other) whole.
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

  /** The metrics of the living with what the dead have left; gauges as they are. @param {Metric[]} living @returns {Metric[]} */
  plus (living) {
    return this.#sum(living) ?? this.#copy(living)
  }

  /** By far most often both have the same buckets. @param {Metric[]} living @returns {Metric[] | null} */
  #sum (living) {
    const rest = new Map(this.#metrics)
    /** @type {Metric[]} */
    const sums = []
    for (const metric of living) {
      const left = isTotal(metric) ? rest.get(metric.name) : undefined
      rest.delete(metric.name)
      const sets = new Map(left?.sets)
      /** @type {Value[]} */
      const values = []
      /** @type {Value[] | undefined} */
      let samples
      let at = 0
      for (const value of left === undefined ? [] : metric.values) {
        const of = left?.sets.get(setOf(value.labels))
        if (of !== samples) {
          if (isPart(samples, at)) return null
          samples = of
          at = 0
        }
        if (of === undefined) {
          values.push(value)
          continue
        }
        // Other buckets, or in another order: another version of the application.
        if (find(of, value.metricName, value.labels, at) !== at) return null
        values.push({ labels: value.labels, value: value.value + of[at].value, metricName: value.metricName, exemplar: value.exemplar ?? of[at].exemplar })
        if (++at === of.length) sets.delete(setOf(value.labels))
      }
      if (isPart(samples, at)) return null
      for (const unmet of sets.values()) values.push(...unmet)
      sums.push(left === undefined ? metric : { ...metric, values })
    }
    return [...sums, ...[...rest.values()].map(whole)]
  }

  /** @param {Metric[]} living */
  #copy (living) {
    // Of the living nothing goes to (other): what they show would be gone, or smaller, one scrape later.
    const copy = new Bequest(Infinity)
    copy.add([...this.#metrics.values()].map(whole))
    copy.add(living)
    return [...[...copy.#metrics.values()].map(whole), ...living.filter((metric) => !isTotal(metric))]
  }
}

/**
 * Where a sample is in its set, -1 where it is not.
 * @param {Value[]} samples
 * @param {string | undefined} metricName
 * @param {Value['labels']} labels
 * @param {number} likely
 */
function find (samples, metricName, { le }, likely) {
  const is = (/** @type {Value | undefined} */ sample) => sample !== undefined && sample.metricName === metricName && sample.labels.le === le
  return is(samples[likely]) ? likely : samples.findIndex(is)
}

/** @param {Value[] | undefined} samples @param {number} count */
function isPart (samples, count) {
  return samples !== undefined && count < samples.length
}

/** @param {Value['labels']} labels */
function closed (labels) {
  return shared(Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, openLabels.includes(name) ? OTHER : value])))
}

/** @param {Left} left @returns {Metric} */
function whole ({ metric, sets }) {
  return { ...metric, values: [...sets.values()].flat() }
}

exports.Bequest = Bequest
exports.isTotal = isTotal
