'use strict'

const { isatty } = require('node:tty')
const { makePretty } = require('./pretty')
const process = require('../../util/process')

/** They switch colors off, unless they are empty. */
const SWITCHED_OFF = ['NO_COLOR', 'NODE_DISABLE_COLORS']

/** FORCE_COLOR, else NO_COLOR, else the terminal decides. @param {NodeJS.ProcessEnv} env @param {boolean} isTerminal */
function hasColors (env, isTerminal) {
  const { FORCE_COLOR: forced, TERM } = env
  if (forced) return forced !== '0' && forced !== 'false'
  if (SWITCHED_OFF.some((name) => env[name]) || TERM === 'dumb') return false
  return isTerminal
}

/**
 * Null for lines that stay JSON: for a pipe, a file or a log collector.
 * @param {'json' | 'pretty' | undefined} format undefined: pretty on a terminal
 * @param {1 | 2 | string} destination @param {{ env?: NodeJS.ProcessEnv, isTerminal?: boolean }} [seen]
 */
exports.formatter = (format, destination, { env = process.env, isTerminal = typeof destination === 'number' && isatty(destination) } = {}) => {
  const isPretty = format === undefined ? isTerminal : format === 'pretty'
  return isPretty ? makePretty({ hasColors: hasColors(env, isTerminal), cwd: workingDirectory() }) : null
}

/** It may have been deleted. Paths below it are shown relative to it. */
function workingDirectory () {
  try {
    return process.cwd()
  } catch {
    return ''
  }
}

exports.hasColors = hasColors
