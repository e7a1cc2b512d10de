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

/** Least and largest limit: on a busy machine the agent may miss shorter blocks. */
const LEAST_LIMIT_MS = 20
const MOST_LIMIT_MS = 60000
/** @type {Record<string, number>} */
const UNIT_MS = { '': 1, ms: 1, s: 1000 }

/** A length of time in ms. @param {string} text 50ms, 50, 0.1s */
exports.limit = (text) => {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|)$/.exec(text) ?? []
  const ms = Number(count) * UNIT_MS[unit]
  if (!(ms >= LEAST_LIMIT_MS && ms <= MOST_LIMIT_MS)) {
    throw codedError('LOOPWATCH_ERR_OPTION', '--over', `a time from ${LEAST_LIMIT_MS}ms to ` +
      `${MOST_LIMIT_MS / 1000}s`, text)
  }
  return ms
}

/** @type {Record<string, number>} */
const AGO_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Unix time in ms. @param {string} text 90s, 10m, 2h, 7d, or an ISO time */
exports.since = (text) => exports.timeOf('--since', text)

/** @param {string} name of the option @param {string} text */
exports.timeOf = (name, text) => {
  const [, count, unit] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? []
  const atMs = count === undefined
    ? (/^\d{4}-/.test(text) ? Date.parse(text) : NaN)
    : Date.now() - Number(count) * AGO_MS[unit]
  if (!Number.isFinite(atMs)) {
    throw codedError('LOOPWATCH_ERR_OPTION', name, 'a length of time (90s, 10m, 2h, 7d) or an ISO time', text)
  }
  return atMs
}

/**
 * bubbleprof needs about a minute to report a minute under load.
 * @type {[string, string, (text: string) => number, number]}
 */
exports.DEADLINE = [
  '--deadline <seconds>', 'how long the tool may take to write its report',
  exports.number('--deadline', 1, 86400), 180
]

/** @type {[string, string, (text: string) => number]} */
exports.SECONDS = [
  '--seconds <seconds>',
  'stop after this long (default: until Ctrl-C)', exports.number('--seconds', 1, 86400)
]

exports.DEFAULT_TARGET = DEFAULT_TARGET
