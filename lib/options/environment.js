'use strict'

const process = require('../util/process')

// An application may replace `process.env` and `process.execArgv` with anything: null, numbers, a Proxy that throws.
// Values that cannot be read count as not set.

/** @type {(value: unknown) => value is string} */
const isText = (value) => typeof value === 'string'

const PREFIX = 'LOOPWATCH_'

/**
 * Variables in `pm2_env`. In its cluster mode, pm2 sets the variables of an application after preloads have run.
 * @returns {NodeJS.ProcessEnv}
 */
function pendingOfPm2 () {
  const { pm2_env: text } = process.env
  if (!isText(text)) return {}
  try {
    const entries = Object.entries(JSON.parse(text)).filter(([name]) => name.startsWith(PREFIX))
    return Object.fromEntries(entries.map(([name, value]) => [name, `${value}`]))
  } catch {
    return {}
  }
}

/** @param {string} name */
exports.variable = (name) => {
  try {
    const value = (name.startsWith(PREFIX) ? pendingOfPm2()[name] : undefined) ?? process.env[name]
    return isText(value) ? value : undefined
  } catch {
    return undefined
  }
}

exports.isReadable = () => {
  try {
    return typeof process.env.FORCE_COLOR !== 'symbol'
  } catch {
    return false
  }
}

/** All variables, none if they cannot be read. @returns {NodeJS.ProcessEnv} */
exports.environment = () => {
  try {
    const set = Object.entries(process.env).filter(([, value]) => isText(value))
    return { ...Object.fromEntries(set), ...pendingOfPm2() }
  } catch {
    return {}
  }
}

/**
 * NODE_OPTIONS and the flags of the command line, in this order. Node.js takes `_` for `-` in them.
 * @param {string[]} [execArgv] @param {string} [options] NODE_OPTIONS
 */
exports.allFlags = (execArgv = exports.nodeFlags(), options = exports.variable('NODE_OPTIONS') ?? '') =>
  `${options.replaceAll('"', ' ')} ${execArgv.join(' ')}`.replaceAll('_', '-')

exports.nodeFlags = () => {
  try {
    return process.execArgv.filter(isText)
  } catch {
    return []
  }
}
