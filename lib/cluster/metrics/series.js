'use strict'

const { isText, listOf, objectOf, orMissing } = require('../../util/validators')

/**
 * @import { Metric, Value } from '../../types'
 * @import { Message } from '../wire'
 */

/** Most series of a worker. Further ones are left out. The largest applications have some thousand. */
const MOST_SERIES = 50_000
/** Longest labels of a series, far above those of routes. A series with longer ones is left out. */
const LABELS_CHARACTERS = 4096
/** New series on one line, which take half of the line's bound with the longest labels of three bytes a character. */
const SERIES_A_LINE = 40
/** Values on one line: some 25 bytes each with the index, and 100 more with an exemplar. */
const VALUES_A_LINE = 5000
const METRIC_NAME = /^[a-zA-Z_:][\w:]*$/
const LABEL_NAME = /^[a-zA-Z_]\w*$/
const LABEL_TYPES = ['string', 'number']
const TYPES = ['counter', 'gauge', 'histogram', 'summary']

/**
 * @typedef {{ index: number, value: number | undefined, stamp: number | undefined, round: number }} Sent
 * the state of a series at the other end, and the last snapshot that had it
 * @typedef {Omit<Metric, 'values'> & { index: number, metricName: string, labels: Value['labels'] }} Series
 */

/** @typedef {Record<string, string | number>} Labels */

/**
 * Labels that all workers share, as they have the same series: 16 workers of 4000 series each would otherwise hardly
 * fit into a heap of 128 MB. The table is cleared when it has as many as a worker may have series.
 * @type {Map<string, Labels>}
 */
const kept = new Map()
/** @type {WeakMap<Labels, string>} */
const sets = new WeakMap()

/** The one object for these labels. @param {Labels} labels @returns {Labels} */
const shared = (labels) => {
  const text = JSON.stringify(labels)
  const sharedLabels = kept.get(text)
  if (sharedLabels !== undefined) return sharedLabels
  if (kept.size >= MOST_SERIES) kept.clear()
  kept.set(text, labels)
  return labels
}

/** A name for labels in any order, the same for all samples of a histogram. @param {Labels} labels */
const setOf = (labels) => {
  let set = sets.get(labels)
  if (set === undefined) {
    const entries = Object.entries(labels).filter(([name]) => name !== 'le')
    set = JSON.stringify(entries.sort(([a], [b]) => a < b ? -1 : 1))
    sets.set(labels, set)
  }
  return set
}

/** Turns each snapshot into its changes since the one before: most series of most applications do not change. */
class SeriesWriter {
  /** @type {Map<string, Sent>} by name and labels */
  #sent = new Map()
  #next = 0
  #round = 0

  /** @param {Metric[]} snapshot @returns {Message[]} in this order; at least one */
  changes (snapshot) {
    this.#round++
    /** @type {Series[]} */
    const series = []
    /** @type {any[][]} */
    const values = []
    for (const metric of snapshot) {
      for (const value of metric.values) {
        const sent = this.#find(metric, value, series)
        if (sent === null) continue
        sent.round = this.#round
        const stamp = value.exemplar?.timestamp
        if (stamp !== sent.stamp) values.push([sent.index, value.value, value.exemplar])
        else if (!Object.is(sent.value, value.value)) values.push([sent.index, value.value])
        sent.value = value.value
        sent.stamp = stamp
      }
    }
    // Series that the snapshot no longer has.
    const gone = [...this.#sent].filter(([, { round }]) => round !== this.#round)
    for (const [key] of gone) this.#sent.delete(key)
    return [
      ...parts(series, SERIES_A_LINE).map((part) => ({ t: 'metrics', series: part })),
      ...parts(values, VALUES_A_LINE).map((part) => ({ t: 'metrics', values: part })),
      { t: 'metrics', gone: gone.map(([, { index }]) => index) }
    ]
  }

  /** @param {Metric} metric @param {Value} value @param {Series[]} series to which a new one is added */
  #find ({ name, help, type }, { metricName = name, labels }, series) {
    // One process always gives the labels of a series in the same order.
    const key = `${metricName} ${JSON.stringify(labels)}`
    const sent = this.#sent.get(key)
    if (sent !== undefined) return sent
    if (this.#sent.size >= MOST_SERIES || key.length > LABELS_CHARACTERS) return null
    const added = { index: this.#next++, value: undefined, stamp: undefined, round: 0 }
    this.#sent.set(key, added)
    series.push({ index: added.index, name, help, type, metricName, labels })
    return added
  }
}

/** The other end: a worker's last complete snapshot. Throws on anything that a SeriesWriter does not write. */
class SeriesReader {
  /** @type {Map<string, Metric>} without values */
  #metrics = new Map()
  /** Sample names, one copy each: parsed for each series, they would take some 60 bytes a series. */
  #names = new Map()
  /** @type {Map<number, { metric: Metric, value: Value }>} */
  #series = new Map()
  /** @type {{ series: Series[], values: any[][] }} of an incomplete snapshot */
  #coming = { series: [], values: [] }

  /** Returns whether the message completed a snapshot, which now counts. @param {Message} message */
  apply ({ series = [], values = [], gone }) {
    const coming = this.#coming
    const isFull = this.#series.size + coming.series.length + series.length > MOST_SERIES ||
      coming.values.length + values.length > MOST_SERIES
    if (isFull || !areSeries(series) || !areValues(values)) throw new Error('metrics that are not valid')
    coming.series.push(...series)
    coming.values.push(...values)
    if (gone === undefined) return false
    this.#coming = { series: [], values: [] }
    for (const one of coming.series) this.#add(one)
    for (const [index, value, exemplar] of coming.values) {
      const target = this.#series.get(index)?.value
      if (target === undefined) continue
      target.value = value ?? NaN
      if (exemplar !== undefined) target.exemplar = exemplar
    }
    for (const index of gone) this.#series.delete(index)
    return true
  }

  /** @param {Series} series */
  #add ({ index, name, help, type, metricName, labels }) {
    const metric = this.#metrics.get(name) ?? { name, help, type, values: [] }
    const sample = this.#names.get(metricName) ?? metricName
    this.#metrics.set(name, metric)
    this.#names.set(sample, sample)
    const value = { labels: shared(labels), value: 0, metricName: sample === name ? undefined : sample }
    this.#series.set(index, { metric, value })
  }

  /** @returns {Metric[]} */
  snapshot () {
    /** @type {Map<Metric, Value[]>} */
    const values = new Map([...this.#metrics.values()].map((metric) => [metric, []]))
    for (const { metric, value } of this.#series.values()) values.get(metric)?.push(value)
    return [...values].map(([metric, own]) => ({ ...metric, values: own }))
  }
}

/** @param {any} labels */
const areLabels = (labels) => objectOf({})(labels) &&
  Object.entries(labels).every(([name, value]) => LABEL_NAME.test(name) && LABEL_TYPES.includes(typeof value))

/** @param {any} name */
const isName = (name) => isText(name) && METRIC_NAME.test(name)

const isSeries = objectOf({
  index: Number.isInteger,
  name: isName,
  help: (help) => isText(help) && help.length <= 1000,
  type: (type) => TYPES.includes(type),
  metricName: isName,
  labels: (labels) => areLabels(labels) && !('worker' in labels) && JSON.stringify(labels).length <= LABELS_CHARACTERS
})

const areSeries = listOf((series) => isSeries(series) && series.metricName.startsWith(series.name))

const isExemplar = objectOf({ labelSet: areLabels, value: Number.isFinite, timestamp: Number.isFinite })

/** JSON has no NaN and no Infinity: they come as null. */
const areValues = listOf(([, value, exemplar]) => (value === null || Number.isFinite(value)) &&
  orMissing(isExemplar)(exemplar))

/** @template T @param {T[]} list @param {number} size @returns {T[][]} */
function parts (list, size) {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))
}

exports.SeriesWriter = SeriesWriter
exports.SeriesReader = SeriesReader
exports.setOf = setOf
exports.shared = shared
