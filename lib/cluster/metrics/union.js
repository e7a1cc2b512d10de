'use strict'

const { RetiredTotals, isTotal } = require('./retired-totals')

/** @import { Family, Metric } from '../../types' */

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
