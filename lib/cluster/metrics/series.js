'use strict'

const { shared } = require('./labels')

/** A worker with more is cut; the largest application has some thousand. */
const MOST_SERIES = 50_000
const MOST_METRICS = 1000
/** A series whose labels are longer is left out; those of routes are far shorter. */
const LABELS_CHARACTERS = 4096
/** A new series takes some 200 bytes on the wire; a line must stay below its bound with three bytes a character, too. */
const CHARACTERS_A_LINE = 100_000
/** A value and its index take some 25 bytes, and its exemplar 100. */
const VALUES_A_LINE = 5000
const METRIC_NAME = /^[a-zA-Z_:][\w:]*$/
const LABEL_NAME = /^[a-zA-Z_]\w*$/
const TYPES = ['counter', 'gauge', 'histogram', 'summary']
const HELP_CHARACTERS = 1000

/** @typedef {import('../../types').Metric} Metric */
/** @typedef {import('../../types').Value} Value */

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
   * @returns {import('../wire').Message[]} in this order; at least one
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
          if (this.#known.size >= MOST_SERIES || key.length > LABELS_CHARACTERS) continue
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
      ...lines(series).map((part) => ({ t: 'metrics', series: part })),
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

/** The other end: a worker's snapshot as it last came whole. Throws on what a SeriesWriter does not write. */
class SeriesReader {
  /** @type {Map<number, Metric & { series: Map<number, Value>, samples: Map<string, string> }>} */
  #metrics = new Map()
  #names = new Set()
  /** @type {Map<number, Map<number, Value>>} the metric's series, by the index of one */
  #owners = new Map()
  /** @type {[index: number, value: Value][]} whose values have not come */
  #coming = []
  /** @type {any[][]} */
  #values = []

  /**
   * @param {import('../wire').Message} message
   * @returns {boolean} whether it was the last one of a snapshot, which now counts
   */
  apply ({ metrics = [], series = [], values = [], gone }) {
    for (const metric of metrics) this.#addMetric(metric)
    for (const one of series) this.#addSeries(one)
    for (const [index, value, exemplar] of values) {
      // JSON has no NaN and no Infinity.
      check(typeof value === 'number' || value === null, 'value')
      check(exemplar === undefined || exemplar === null || isExemplar(exemplar), 'exemplar')
      check(this.#values.length < MOST_SERIES, 'value')
      this.#values.push([index, value, exemplar])
    }
    if (gone === undefined) return false
    this.#settle(gone)
    return true
  }

  /** @param {any[]} metric */
  #addMetric ([index, name, help, type]) {
    check(Number.isInteger(index) && METRIC_NAME.test(name) && typeof help === 'string' && help.length <= HELP_CHARACTERS && TYPES.includes(type), 'metric')
    check(this.#metrics.size < MOST_METRICS && !this.#metrics.has(index) && !this.#names.has(name), 'metric')
    this.#names.add(name)
    this.#metrics.set(index, { name, help, type, values: [], series: new Map(), samples: new Map([[name, name]]) })
  }

  /** @param {any[]} series */
  #addSeries ([index, owner, metricName, labels]) {
    const metric = this.#metrics.get(owner)
    check(metric !== undefined && Number.isInteger(index) && !this.#owners.has(index) && this.#owners.size < MOST_SERIES, 'series')
    check(areLabels(labels) && !('worker' in labels) && JSON.stringify(labels).length <= LABELS_CHARACTERS, 'series')
    check(METRIC_NAME.test(metricName) && metricName.startsWith(metric?.name), 'series')
    const { name, series: owned, samples } = /** @type {Metric & { series: Map<number, Value>, samples: Map<string, string> }} */ (metric)
    // Parsed anew, the names of a histogram's samples would be some 60 bytes a series.
    if (!samples.has(metricName)) samples.set(metricName, metricName)
    this.#owners.set(index, owned)
    this.#coming.push([index, { labels: shared(labels), value: 0, metricName: metricName === name ? undefined : samples.get(metricName), exemplar: undefined }])
  }

  /** @param {number[]} gone */
  #settle (gone) {
    for (const [index, value] of this.#coming) this.#owners.get(index)?.set(index, value)
    for (const [index, value, exemplar] of this.#values) {
      const known = this.#owners.get(index)?.get(index)
      if (known === undefined) continue
      known.value = value ?? NaN
      if (exemplar !== undefined) known.exemplar = exemplar
    }
    for (const index of gone) {
      this.#owners.get(index)?.delete(index)
      this.#owners.delete(index)
    }
    this.#coming = []
    this.#values = []
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

/** Series as lines that are not too long. @param {any[][]} series @returns {any[][][]} */
function lines (series) {
  /** @type {any[][][]} */
  const lines = []
  let room = 0
  for (const one of series) {
    room -= JSON.stringify(one).length
    if (room < 0) {
      lines.push([])
      room = CHARACTERS_A_LINE
    }
    lines[lines.length - 1].push(one)
  }
  return lines
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
