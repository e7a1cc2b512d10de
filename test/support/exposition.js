'use strict'

const UNESCAPED = /** @type {Record<string, string>} */ ({ n: '\n', '"': '"', '\\': '\\' })

/** @param {string} text `a="b",c="d"` @returns {Record<string, string>} */
function parseLabels (text) {
  /** @type {Record<string, string>} */
  const labels = {}
  const pair = /(\w+)="((?:[^"\\\n]|\\[n"\\])*)"(?:,|$)/gy
  while (pair.lastIndex < text.length) {
    const at = pair.lastIndex
    const match = pair.exec(text)
    if (match === null) throw new Error(`no labels: ${text.slice(at)}`)
    if (match[1] in labels) throw new Error(`label ${match[1]} twice: ${text}`)
    labels[match[1]] = match[2].replace(/\\(.)/g, (_, escaped) => UNESCAPED[escaped])
  }
  return labels
}

/**
 * @typedef {object} Sample
 * @property {string} name
 * @property {Record<string, string>} labels
 * @property {number} value
 * @property {{ labels: Record<string, string>, value: number } | null} exemplar
 */

/**
 * Reads the Prometheus text format, or OpenMetrics, strictly: a line that is neither throws.
 * @param {string} text
 * @returns {{ families: Map<string, { type: string, help: string }>, samples: Sample[] }}
 */
exports.parseExposition = (text) => {
  /** @type {Map<string, { type: string, help: string }>} */
  const families = new Map()
  /** @type {Sample[]} */
  const samples = []
  for (const line of text.split('\n')) {
    if (line === '' || line === '# EOF') continue
    const comment = /^# (HELP|TYPE) (\w+) (.*)$/.exec(line)
    if (comment) {
      const [, kind, name, rest] = comment
      const family = families.get(name) ?? { type: '', help: '' }
      families.set(name, kind === 'HELP' ? { ...family, help: rest } : { ...family, type: rest })
      continue
    }
    const sample = /^(\w+)(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})? (\S+)(?: # \{(.*)\} (\S+) (\S+))?$/.exec(line)
    if (sample === null) throw new Error(`not a sample: ${line}`)
    const [, name, labels = '', value, exemplar, exemplarValue] = sample
    samples.push({ name, labels: parseLabels(labels), value: Number(value.replace('Inf', 'Infinity')), exemplar: exemplar === undefined ? null : { labels: parseLabels(exemplar), value: Number(exemplarValue) } })
  }
  return { families, samples }
}

/**
 * The value of the one sample with that name and those labels.
 * @param {Sample[]} samples
 * @param {string} name
 * @param {Record<string, string | number>} [labels]
 */
exports.valueOf = (samples, name, labels = {}) => {
  const found = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === String(value))
  )
  if (found.length !== 1) throw new Error(`${found.length} samples of ${name} ${JSON.stringify(labels)}`)
  return found[0].value
}
