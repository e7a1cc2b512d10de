'use strict'

const { Option } = require('commander')
const { codedError } = require('../../tables/errors')

const DEFAULT_TARGET = '127.0.0.1:9464'

/** @param {string[]} lines */
exports.examples = (...lines) => `\nExamples:\n${lines.map((line) => `  $ loopwatch ${line}\n`).join('')}`

/** @param {string} of */
exports.token = (of) => new Option('--token <token>', `bearer token of ${of}`).env('LOOPWATCH_TOKEN')

/** @param {string} flag @param {number} min @param {number} max */
exports.number = (flag, min, max) => (/** @type {string} */ text) => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw codedError('LOOPWATCH_ERR_OPTION', flag, `a whole number from ${min} to ${max}`, text)
  }
  return value
}

/** @type {Record<string, number>} */
const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** NaN if the text is not a length of time. @param {string} text 50ms, 0.1s, 10m, 2h, 7d */
const lengthInMs = (text) => {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|[smhd])$/.exec(text) ?? []
  return Number(count) * UNIT_MS[unit]
}

/** Least and largest limit: on a busy machine the agent may miss shorter blocks. */
const LEAST_LIMIT_MS = 20
const MOST_LIMIT_MS = 60000

/** A limit in ms. @param {string} text 50ms, 50, 0.1s */
exports.limit = (text) => {
  const ms = lengthInMs(/\d$/.test(text) ? `${text}ms` : text)
  if (!(ms >= LEAST_LIMIT_MS && ms <= MOST_LIMIT_MS)) {
    throw codedError('LOOPWATCH_ERR_OPTION', '--over', `a time from ${LEAST_LIMIT_MS}ms to ` +
      `${MOST_LIMIT_MS / 1000}s`, text)
  }
  return ms
}

/** Unix time in ms. @param {string} text 90s, 10m, 2h, 7d, or an ISO time */
exports.since = (text) => exports.timeOf('--since', text)

/** @param {string} name of the option @param {string} text */
exports.timeOf = (name, text) => {
  const atMs = /^\d{4}-/.test(text) ? Date.parse(text) : Date.now() - lengthInMs(text)
  if (Number.isFinite(atMs)) return atMs
  throw codedError('LOOPWATCH_ERR_OPTION', name, 'a length of time (90s, 10m, 2h, 7d) or an ISO time', text)
}

/**
 * bubbleprof needs about a minute to report a minute under load.
 * @type {[string, string, (text: string) => number, number]}
 */
exports.DEADLINE = [
  '--deadline <seconds>', 'how long the tool may take to write its report',
  exports.number('--deadline', 1, 86400), 180
]

exports.DEFAULT_TARGET = DEFAULT_TARGET
