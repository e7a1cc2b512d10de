'use strict'

const { openLabels } = require('../catalogue')

/** What the dead of one slot may leave; above it, what is new of them goes to (other). */
const SERIES_A_SLOT = 5000
const OTHER = '(other)'

/** @typedef {import('./series').Metric} Metric */
/** @typedef {import('./series').Value} Value */
/** @typedef {Map<string, { metric: Metric, value: Value }>} Totals by key */
/** @typedef {{ name: string, help: string, type: string, groups: { worker: string, values: Value[] }[] }} Family a metric of all, by worker */

/** A worker's labels stay the same objects while it is connected. @type {WeakMap<Value['labels'], Map<string, string>>} */
const keys = new WeakMap()

/**
 * The metrics of all workers as one: each series with the label `worker`, counters and histograms of
 * a slot summed over everyone who had it, so that they never go backwards. Gauges are the living's.
 */
class Ledger {
  /** @type {Map<number, Totals>} what the dead have left, by slot */
  #bases = new Map()
  /** @type {Map<number, { instance: string, metrics: Metric[] }>} who left a slot last; it may come back */
  #departed = new Map()

  /** @param {number} slot @param {string} instance @param {Metric[]} metrics its last */
  leave (slot, instance, metrics) {
    this.#departed.set(slot, { instance, metrics: metrics.filter(isTotal) })
  }

  /** @param {number} slot @param {string} instance */
  join (slot, instance) {
    const departed = this.#departed.get(slot)
    this.#departed.delete(slot)
    // Who comes back brings its totals along.
    if (departed === undefined || departed.instance === instance) return
    const base = this.#bases.get(slot) ?? new Map()
    this.#bases.set(slot, base)
    add(base, departed.metrics)
  }

  /**
   * @param {Metric[]} own of the primary
   * @param {Map<number, Metric[]>} living by slot
   * @returns {Family[]} what is labelled `worker` already keeps its label
   */
  union (own, living) {
    /** @type {Map<string, Family>} */
    const union = new Map()
    put(union, own, 'primary')
    const slots = new Set([...living.keys(), ...this.#departed.keys(), ...this.#bases.keys()])
    for (const slot of [...slots].sort((a, b) => a - b)) {
      const metrics = living.get(slot) ?? this.#departed.get(slot)?.metrics ?? []
      put(union, this.#withBase(slot, metrics), `${slot}`)
    }
    return [...union.values()]
  }

  /** @param {number} slot @param {Metric[]} metrics */
  #withBase (slot, metrics) {
    const base = this.#bases.get(slot)
    if (base === undefined) return metrics
    /** @type {Totals} */
    const totals = new Map([...base].map(([key, { metric, value }]) => [key, { metric, value: { ...value } }]))
    add(totals, metrics.filter(isTotal))
    return [...grouped(totals), ...metrics.filter((metric) => !isTotal(metric))]
  }
}

/** @param {Metric} metric */
function isTotal ({ type }) {
  return type === 'counter' || type === 'histogram'
}

/** @param {Totals} totals @param {Metric[]} metrics */
function add (totals, metrics) {
  for (const metric of metrics) {
    for (const given of metric.values) {
      let value = given
      let key = keyOf(metric, value)
      if (!totals.has(key) && totals.size >= SERIES_A_SLOT) {
        value = { ...given, labels: closed(given.labels) }
        key = keyOf(metric, value)
      }
      const total = totals.get(key)
      if (total === undefined) {
        totals.set(key, { metric: { ...metric, values: [] }, value: { ...value } })
      } else {
        total.value.value += value.value
        total.value.exemplar = value.exemplar ?? total.value.exemplar
      }
    }
  }
}

/** What names a series, in whichever order its labels come. @param {Metric} metric @param {Value} value */
function keyOf (metric, { metricName = metric.name, labels }) {
  const known = keys.get(labels) ?? new Map()
  if (known.size === 0) keys.set(labels, known)
  const key = known.get(metricName) ?? `${metricName} ${JSON.stringify(Object.entries(labels).sort(([a], [b]) => a < b ? -1 : 1))}`
  known.set(metricName, key)
  return key
}

/** @param {Value['labels']} labels */
function closed (labels) {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, openLabels.includes(name) ? OTHER : value]))
}

/** @param {Totals} totals @returns {Metric[]} */
function grouped (totals) {
  /** @type {Map<string, Metric>} */
  const metrics = new Map()
  for (const { metric, value } of totals.values()) {
    const known = metrics.get(metric.name)
    if (known === undefined) metrics.set(metric.name, { ...metric, values: [value] })
    else known.values.push(value)
  }
  return [...metrics.values()]
}

/** @param {Map<string, Family>} union @param {Metric[]} metrics @param {string} worker */
function put (union, metrics, worker) {
  for (const { name, help, type, values } of metrics) {
    const family = union.get(name) ?? { name, help, type, groups: [] }
    union.set(name, family)
    // Another version of the package may have another idea of a metric; one family has one type.
    if (family.type === type) family.groups.push({ worker, values })
  }
}

exports.Ledger = Ledger
