'use strict'

/** @typedef {import('../../types').Metric} Metric */
/** @typedef {import('../../types').Value} Value */
/** @typedef {import('../../types').Family} Family */

const ESCAPED = /** @type {Record<string, string>} */ ({ '\\': '\\\\', '\n': '\\n', '"': '\\"' })

/** Some 2 ms. */
const SERIES_A_TURN = 1000

/** Labels of workers stay the same objects from scrape to scrape. @type {WeakMap<Value['labels'], string>} */
const texts = new WeakMap()

/**
 * All that a registry holds, as plain JSON.
 * @param {import('prom-client').Registry} registry
 * @returns {Promise<Metric[]>}
 */
exports.snapshotOf = async (registry) => {
  const metrics = /** @type {any[]} */ (await registry.getMetricsAsJSON())
  return metrics.map(({ name, help, type, values }) => ({
    name,
    help,
    type,
    values: values.map((/** @type {any} */ { labels, sharedLabels, value, metricName, exemplar }) => ({ labels: { ...sharedLabels, ...labels }, value, metricName, exemplar }))
  }))
}

/**
 * The metrics of a cluster as text. Not by prom-client's registry, which takes 20 ms for 64 workers
 * of 118 series each, in which the watchdog cannot look. Between two workers' parts of a metric it
 * can; within one it could not, lest its buckets be of two moments.
 * @param {Family[]} families
 * @param {boolean} openMetrics with exemplars
 */
exports.renderFamilies = async (families, openMetrics) => {
  /** @type {string[]} */
  const parts = []
  let count = 0
  for (const { name, help, type, groups } of families) {
    const family = openMetrics && type === 'counter' ? name.replace(/_total$/, '') : name
    parts.push(`# HELP ${family} ${escape(help, /[\\\n]/g)}\n# TYPE ${family} ${type}\n`)
    for (const { worker, values } of groups) {
      parts.push(values.map((value) => line(name, worker, value, openMetrics)).join(''))
      count += values.length
      if (count < SERIES_A_TURN) continue
      count = 0
      await new Promise((resolve) => { setImmediate(resolve) })
    }
    if (!openMetrics) parts.push('\n')
  }
  if (openMetrics) parts.push('# EOF\n')
  return parts.join('')
}

/** @param {string} name @param {string} worker @param {Value} series @param {boolean} openMetrics */
function line (name, worker, { metricName = name, labels, value, exemplar }, openMetrics) {
  const own = labelText(labels)
  // What is counted of a worker has its label already.
  const all = 'worker' in labels ? own : `worker="${worker}"${own === '' ? '' : `,${own}`}`
  const tail = openMetrics && exemplar ? ` # {${labelText(exemplar.labelSet)}} ${number(exemplar.value)} ${exemplar.timestamp}` : ''
  return `${metricName}{${all}} ${number(value)}${tail}\n`
}

/** @param {Value['labels']} labels */
function labelText (labels) {
  let text = texts.get(labels)
  if (text === undefined) {
    text = Object.entries(labels).map(([name, value]) => `${name}="${escape(`${value}`, /[\\\n"]/g)}"`).join(',')
    texts.set(labels, text)
  }
  return text
}

/** @param {string} text @param {RegExp} characters */
function escape (text, characters) {
  return text.replace(characters, (character) => ESCAPED[character])
}

/** @param {number} value */
function number (value) {
  return Number.isFinite(value) || Number.isNaN(value) ? `${value}` : value > 0 ? '+Inf' : '-Inf'
}
