'use strict'

/** JSON from a stranger; an empty object if it is none. @param {string} text @returns {any} */
exports.parsed = (text) => {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_]\w*)="((?:\\.|[^"\\])*)"/g
/** @type {Record<string, string>} */
const ESCAPES = { '\\n': '\n', '\\"': '"', '\\\\': '\\' }

/** @typedef {{ name: string, labels: Record<string, string>, value: number }} Sample */

/** @param {string} text a Prometheus exposition @returns {Sample[]} */
exports.parseSamples = (text) => text.split('\n').flatMap((line) => {
  const [, name, labels = '', value] = LINE.exec(line) ?? []
  if (name === undefined) return []
  const entries = [...labels.matchAll(LABEL)].map(([, key, quoted]) =>
    [key, quoted.replace(/\\[n"\\]/g, (escaped) => ESCAPES[escaped])])
  return [{ name, labels: Object.fromEntries(entries), value: Number(value.replace('+Inf', 'Infinity')) }]
})
