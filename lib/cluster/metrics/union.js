'use strict'

const { Bequest, isTotal } = require('./retired-totals')

/** @typedef {import('../../types').Metric} Metric */
/** @typedef {import('../../types').Value} Value */
/** @typedef {import('../../types').Family} Family */

/**
 * The metrics of all workers as one: each series with the label `worker`, counters and histograms of
 * a slot summed over everyone who had it. They go backwards only for what a slot's dead have left
 * beyond their bound, which moves to (other). Gauges are the living's.
 */
class Ledger {
  /** @type {Map<number, Bequest>} by slot */
  #bequests = new Map()
  /** @type {Map<number, { instance: string, metrics: Metric[] }>} who left a slot last; it may come back */
  #departed = new Map()

  /** @param {number} slot @param {string} instance @param {Metric[]} metrics its last */
  leave (slot, instance, metrics) {
    this.#departed.set(slot, { instance, metrics: metrics.filter(isTotal) })
  }

  /** From now on its own metrics count. @param {number} slot @param {string} instance */
  join (slot, instance) {
    const departed = this.#departed.get(slot)
    this.#departed.delete(slot)
    // Who comes back brings its totals along.
    if (departed === undefined || departed.instance === instance) return
    const bequest = this.#bequests.get(slot) ?? new Bequest()
    this.#bequests.set(slot, bequest)
    bequest.add(departed.metrics)
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
    const slots = new Set([...living.keys(), ...this.#departed.keys(), ...this.#bequests.keys()])
    for (const slot of [...slots].sort((a, b) => a - b)) {
      const metrics = living.get(slot) ?? this.#departed.get(slot)?.metrics ?? []
      put(union, this.#bequests.get(slot)?.plus(metrics) ?? metrics, `${slot}`)
    }
    return [...union.values()]
  }
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
