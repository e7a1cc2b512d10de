'use strict'

const { isatty } = require('node:tty')
const { makePretty } = require('./pretty')
const process = require('../../util/process')

/** Sets colours on or off, in this order; what is set to the empty string is not set. */
const SWITCHED_OFF = ['NO_COLOR', 'NODE_DISABLE_COLORS']

/**
 * Whether text has colours, as most tools have it: by FORCE_COLOR, else not with NO_COLOR, else on a terminal.
 * @param {NodeJS.ProcessEnv} env
 * @param {boolean} isTerminal
 */
function hasColors (env, isTerminal) {
  const { FORCE_COLOR: forced, TERM } = env
  if (forced) return forced !== '0' && forced !== 'false'
  if (SWITCHED_OFF.some((name) => env[name]) || TERM === 'dumb') return false
  return isTerminal
}

/**
 * What to make of pino's lines: null to leave them JSON, for a pipe, a file or a collector of logs.
 * @param {'json' | 'pretty' | undefined} format undefined: pretty on a terminal
 * @param {1 | 2 | string} destination
 * @param {{ env?: NodeJS.ProcessEnv, isTerminal?: boolean }} [seen]
 */
exports.formatter = (format, destination, { env = process.env, isTerminal = typeof destination === 'number' && isatty(destination) } = {}) => {
  const isPretty = format === undefined ? isTerminal : format === 'pretty'
  return isPretty ? makePretty({ hasColors: hasColors(env, isTerminal), cwd: workingDirectory() }) : null
}

/** Paths below it are shown from there; it may have been deleted. */
function workingDirectory () {
  try {
    return process.cwd()
  } catch {
    return ''
  }
}

exports.hasColors = hasColors
