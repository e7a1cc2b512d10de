'use strict'

const { shared } = require('./labels')

/** Most series of a worker. Further ones are left out. The largest applications have some thousand. */
const MOST_SERIES = 50_000
/** Most metrics of a worker; the catalogue has some twenty. */
const MOST_METRICS = 1000
/** A series with longer labels is left out. Labels of routes are far shorter. */
const LABELS_CHARACTERS = 4096
/** New series on one line, some 200 bytes each. The line keeps its bound even with three bytes a character. */
const CHARACTERS_A_LINE = 100_000
/** Values on one line: some 25 bytes each with the index, and 100 more with an exemplar. */
const VALUES_A_LINE = 5000
const METRIC_NAME = /^[a-zA-Z_:][\w:]*$/
const LABEL_NAME = /^[a-zA-Z_]\w*$/
const LABEL_TYPES = ['string', 'number']
const TYPES = ['counter', 'gauge', 'histogram', 'summary']
const HELP_CHARACTERS = 1000

/**
 * @typedef {import('../../types').Metric} Metric
 * @typedef {import('../../types').Value} Value
 * @typedef {Record<string, string | number>} Labels
 * @typedef {{ index: number, value: number | undefined, stamp: number | undefined, round: number }} Sent
 * what the other end knows of a series, and the last snapshot that had it
 */

/** Turns each snapshot into its changes since the one before: most series of most applications do not change. */
class SeriesWriter {
  /** @type {Map<string, number>} index by name */
  #metrics = new Map()
  /** @type {Map<string, Sent>} by name and labels */
  #known = new Map()
  #next = 0
  #round = 0

  /** @param {Metric[]} snapshot @returns {import('../wire').Message[]} in this order; at least one */
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
        const known = this.#find(metric, value, series)
        if (known === null) continue
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

  /** @param {Metric} metric @param {Value} value @param {any[][]} series to which a new one is added */
  #find (metric, { metricName = metric.name, labels }, series) {
    // One process always gives the labels of a series in the same order.
    const key = `${metricName} ${JSON.stringify(labels)}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    if (this.#known.size >= MOST_SERIES || key.length > LABELS_CHARACTERS) return null
    const added = { index: this.#next++, value: undefined, stamp: undefined, round: 0 }
    this.#known.set(key, added)
    series.push([added.index, this.#metrics.get(metric.name), metricName, labels])
    return added
  }

  /** Forgets the series that the snapshot no longer has. */
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

/**
 * A metric that is being put together. `samples` stores each sample name once: parsed for each series, the names would
 * take some 60 bytes a series.
 * @typedef {Metric & { series: Map<number, Value>, samples: Map<string, string> }} ReadMetric
 */

/** The other end: a worker's last complete snapshot. Throws on anything that a SeriesWriter does not write. */
class SeriesReader {
  /** @type {Map<number, ReadMetric>} */
  #metrics = new Map()
  #names = new Set()
  /** @type {Map<number, Map<number, Value>>} by the index of a series: all series of its metric */
  #owners = new Map()
  /** @type {[index: number, value: Value][]} new series of an incomplete snapshot */
  #coming = []
  /** @type {any[][]} values of an incomplete snapshot */
  #values = []

  /** Returns whether the message completed a snapshot, which now counts. @param {import('../wire').Message} message */
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
    check(Number.isInteger(index) && METRIC_NAME.test(name) && TYPES.includes(type), 'metric')
    check(typeof help === 'string' && help.length <= HELP_CHARACTERS, 'metric')
    check(this.#metrics.size < MOST_METRICS && !this.#metrics.has(index) && !this.#names.has(name), 'metric')
    this.#names.add(name)
    const samples = new Map([[name, name]])
    this.#metrics.set(index, { name, help, type, values: [], series: new Map(), samples })
  }

  /** @param {any[]} series */
  #addSeries ([index, owner, metricName, labels]) {
    const metric = this.#metrics.get(owner)
    check(metric !== undefined && Number.isInteger(index) && !this.#owners.has(index), 'series')
    check(this.#owners.size < MOST_SERIES, 'series')
    check(areLabels(labels) && !('worker' in labels) && JSON.stringify(labels).length <= LABELS_CHARACTERS, 'series')
    check(METRIC_NAME.test(metricName) && metricName.startsWith(metric?.name), 'series')
    const { name, series: owned, samples } = /** @type {ReadMetric} */ (metric)
    if (!samples.has(metricName)) samples.set(metricName, metricName)
    const sample = metricName === name ? undefined : samples.get(metricName)
    this.#owners.set(index, owned)
    this.#coming.push([index, { labels: shared(labels), value: 0, metricName: sample, exemplar: undefined }])
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

  snapshot () {
    return [...this.#metrics.values()].map(({ name, help, type, series }) => ({
      name, help, type, values: [...series.values()]
    }))
  }
}

/** @param {unknown} labels */
function areLabels (labels) {
  return typeof labels === 'object' && labels !== null &&
    Object.entries(labels).every(([name, value]) => LABEL_NAME.test(name) && LABEL_TYPES.includes(typeof value))
}

/** @param {any} exemplar */
function isExemplar ({ labelSet, value, timestamp }) {
  return areLabels(labelSet) && typeof value === 'number' && typeof timestamp === 'number'
}

/** @param {any[][]} series @returns {any[][][]} */
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
