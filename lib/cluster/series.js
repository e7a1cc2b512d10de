'use strict'

/** A worker with more is cut; the largest application has some thousand. */
const MOST_SERIES = 50_000
/** A new series takes some 200 bytes on the wire, 4 KB with the longest labels; a line must stay below its bound. */
const SERIES_A_LINE = 200
/** A value and its index take some 25 bytes, and its exemplar 100. */
const VALUES_A_LINE = 5000
const METRIC_NAME = /^[a-zA-Z_:][\w:]*$/
const LABEL_NAME = /^[a-zA-Z_]\w*$/
const TYPES = ['counter', 'gauge', 'histogram', 'summary']
const HELP_CHARACTERS = 1000

/**
 * A snapshot of a registry, whatever is in it: what prom-client calls metrics as JSON.
 *
 * @typedef {{ labelSet: Record<string, string>, value: number, timestamp: number }} Exemplar
 * @typedef {{ labels: Record<string, string | number>, value: number, metricName?: string, exemplar?: Exemplar | null }} Value
 * @typedef {{ name: string, help: string, type: string, values: Value[] }} Metric
 * `metricName` where it is not the metric's own: name_bucket, name_sum, name_count
 */

/** Turns snapshots into what has changed since the last one: most series of most applications rest. */
class SeriesWriter {
  /** @type {Map<string, number>} */
  #metrics = new Map()
  /** @type {Map<string, { index: number, value: number | undefined, stamp: number | undefined, round: number }>} */
  #known = new Map()
  #next = 0
  #round = 0

  /**
   * @param {Metric[]} snapshot
   * @returns {import('./wire').Message[]} in this order; at least one
   */
  changes (snapshot) {
    this.#round++
    /** @type {any[][]} */
    const metrics = []
    /** @type {any[][]} */
    const series = []
    /** @type {any[][]} */
    const values = []
    for (const metric of snapshot) {
      if (!this.#metrics.has(metric.name)) {
        metrics.push([this.#metrics.size, metric.name, metric.help, metric.type])
        this.#metrics.set(metric.name, this.#metrics.size)
      }
      for (const value of metric.values) {
        // One process gives the labels of a series in one order.
        const key = `${value.metricName ?? metric.name} ${JSON.stringify(value.labels)}`
        let known = this.#known.get(key)
        if (known === undefined) {
          if (this.#known.size >= MOST_SERIES) continue
          known = { index: this.#next++, value: undefined, stamp: undefined, round: 0 }
          this.#known.set(key, known)
          series.push([known.index, this.#metrics.get(metric.name), value.metricName ?? metric.name, value.labels])
        }
        known.round = this.#round
        const stamp = value.exemplar?.timestamp
        if (stamp !== known.stamp) values.push([known.index, value.value, value.exemplar])
        else if (!Object.is(known.value, value.value)) values.push([known.index, value.value])
        known.value = value.value
        known.stamp = stamp
      }
    }
    return [
      { t: 'metrics', metrics },
      ...parts(series, SERIES_A_LINE).map((part) => ({ t: 'metrics', series: part })),
      ...parts(values, VALUES_A_LINE).map((part) => ({ t: 'metrics', values: part })),
      { t: 'metrics', gone: this.#takeGone() }
    ]
  }

  /** Series that the snapshot no longer had. */
  #takeGone () {
    /** @type {number[]} */
    const gone = []
    for (const [key, { index, round }] of this.#known) {
      if (round === this.#round) continue
      gone.push(index)
      this.#known.delete(key)
    }
    return gone
  }
}

/** The other end: a worker's snapshot as far as it has come. Throws on what a SeriesWriter does not write. */
class SeriesReader {
  /** @type {Map<number, Metric & { series: Map<number, Value> }>} */
  #metrics = new Map()
  /** @type {Map<number, { value: Value, owner: Map<number, Value> }>} */
  #series = new Map()

  /** @param {import('./wire').Message} message */
  apply ({ metrics = [], series = [], values = [], gone = [] }) {
    for (const [index, name, help, type] of metrics) {
      check(Number.isInteger(index) && METRIC_NAME.test(name) && typeof help === 'string' && help.length <= HELP_CHARACTERS && TYPES.includes(type), 'metric')
      this.#metrics.set(index, { name, help, type, values: [], series: new Map() })
    }
    for (const [index, owner, metricName, labels] of series) {
      const metric = this.#metrics.get(owner)
      check(metric !== undefined && Number.isInteger(index) && this.#series.size < MOST_SERIES && areLabels(labels), 'series')
      check(METRIC_NAME.test(metricName) && metricName.startsWith(metric?.name), 'series')
      const value = { labels, value: 0, metricName: metricName === metric?.name ? undefined : metricName }
      const { series: owned } = /** @type {{ series: Map<number, Value> }} */ (metric)
      owned.set(index, value)
      this.#series.set(index, { value, owner: owned })
    }
    for (const [index, value, exemplar] of values) {
      // JSON has no NaN and no Infinity.
      check(typeof value === 'number' || value === null, 'value')
      check(exemplar === undefined || exemplar === null || isExemplar(exemplar), 'exemplar')
      const known = this.#series.get(index)?.value
      if (known === undefined) continue
      known.value = value ?? NaN
      if (exemplar !== undefined) known.exemplar = exemplar
    }
    for (const index of gone) {
      this.#series.get(index)?.owner.delete(index)
      this.#series.delete(index)
    }
  }

  /** @returns {Metric[]} */
  snapshot () {
    return [...this.#metrics.values()].map(({ name, help, type, series }) => ({ name, help, type, values: [...series.values()] }))
  }
}

/** @param {unknown} labels */
function areLabels (labels) {
  return typeof labels === 'object' && labels !== null &&
    Object.entries(labels).every(([name, value]) => LABEL_NAME.test(name) && (typeof value === 'string' || typeof value === 'number'))
}

/** @param {any} exemplar */
function isExemplar ({ labelSet, value, timestamp }) {
  return areLabels(labelSet) && typeof value === 'number' && typeof timestamp === 'number'
}

/** @param {any[]} list @param {number} size @returns {any[][]} */
function parts (list, size) {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))
}

/** @param {boolean} holds @param {string} what */
function check (holds, what) {
  if (!holds) throw new Error(`a ${what} of metrics that is none`)
}

exports.SeriesWriter = SeriesWriter
exports.SeriesReader = SeriesReader
