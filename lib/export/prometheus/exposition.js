'use strict'

const { makePauses } = require('../pauses')

/** @import { Family, Metric, Value } from '../../types' */

const ESCAPED = /** @type {Record<string, string>} */ ({ '\\': '\\\\', '\n': '\\n', '"': '\\"' })
const HELP_ESCAPES = /[\\\n]/g
const LABEL_ESCAPES = /[\\\n"]/g

/** Series printed between two polls of the loop: about 2 ms of work. */
const SERIES_A_TURN = 1000

/**
 * Workers' labels stay the same objects from scrape to scrape. Most of this process's own are new ones each time.
 * @type {WeakMap<Value['labels'], string>}
 */
const texts = new WeakMap()

/**
 * Metrics of one process, without a label `worker`. The watchdog polls the loop after each group. A snapshot is of one
 * moment, so a histogram may be in two groups.
 * @param {Metric[]} metrics @returns {Family[]}
 */
exports.familiesOf = (metrics) => metrics.map(({ name, help, type, values }) => {
  const groups = Array.from({ length: Math.ceil(values.length / SERIES_A_TURN) }, (_, i) => ({
    worker: null,
    values: values.slice(i * SERIES_A_TURN, (i + 1) * SERIES_A_TURN)
  }))
  return { name, help, type, groups }
})

/**
 * Prints one process or a cluster. prom-client's registry takes 20 ms at once for 64 workers with 118 series each, and
 * the watchdog cannot poll the loop meanwhile. Here it polls after each group: one worker's part of a metric. It does
 * not poll within a group: new values may arrive, and the buckets of a histogram would be of two moments.
 * @param {Family[]} families @param {boolean} openMetrics with exemplars
 */
exports.renderFamilies = async (families, openMetrics) => {
  /** @type {string[]} */
  const parts = []
  const pauseAfter = makePauses(SERIES_A_TURN)
  for (const { name, help, type, groups } of families) {
    const family = openMetrics && type === 'counter' ? name.replace(/_total$/, '') : name
    parts.push(`# HELP ${family} ${escape(help, HELP_ESCAPES)}\n# TYPE ${family} ${type}\n`)
    for (const { worker, values } of groups) {
      const textOf = worker === null ? makeText : keptText
      for (const value of values) {
        parts.push(line(name, withWorker(worker, value, textOf(value.labels)), value, openMetrics))
      }
      await pauseAfter(values.length)
    }
    if (!openMetrics) parts.push('\n')
  }
  if (openMetrics) parts.push('# EOF\n')
  return parts.join('')
}

/** @param {string} name of the metric @param {string} labels @param {Value} series @param {boolean} openMetrics */
function line (name, labels, { metricName = name, value, exemplar }, openMetrics) {
  const tail = openMetrics && exemplar ? ` # ${exemplarText(exemplar)}` : ''
  return `${metricName}${labels === '' ? '' : `{${labels}}`} ${number(value)}${tail}\n`
}

/** @param {NonNullable<Value['exemplar']>} exemplar */
function exemplarText ({ labelSet, value, timestamp }) {
  return `{${keptText(labelSet)}} ${number(value)} ${timestamp}`
}

/** A primary adds the worker's label. @param {string | null} worker @param {Value} series @param {string} text */
function withWorker (worker, { labels }, text) {
  if (worker === null || 'worker' in labels) return text
  return `worker="${worker}"${text === '' ? '' : `,${text}`}`
}

/** @param {Value['labels']} labels */
function keptText (labels) {
  let text = texts.get(labels)
  if (text === undefined) {
    text = makeText(labels)
    texts.set(labels, text)
  }
  return text
}

/** @param {Value['labels']} labels */
function makeText (labels) {
  return Object.entries(labels).map(([name, value]) => `${name}="${escape(`${value}`, LABEL_ESCAPES)}"`).join(',')
}

/** @param {string} text @param {RegExp} characters */
function escape (text, characters) {
  return text.replace(characters, (character) => ESCAPED[character])
}

/** @param {number} value */
function number (value) {
  if (Number.isFinite(value) || Number.isNaN(value)) return `${value}`
  return value > 0 ? '+Inf' : '-Inf'
}
