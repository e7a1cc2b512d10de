'use strict'

const process = require('../util/process')

// An application may replace `process.env` and `process.execArgv` with anything: null, numbers, a Proxy that cannot be
// read. What cannot be read counts as not set.

/** @type {(value: unknown) => value is string} */
const isText = (value) => typeof value === 'string'

/** @param {string} name */
exports.variable = (name) => {
  try {
    const value = process.env[name]
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

/** Every variable as it is now; none if they cannot be read. @returns {NodeJS.ProcessEnv} */
exports.environment = () => {
  try {
    return Object.fromEntries(Object.entries(process.env).filter(([, value]) => isText(value)))
  } catch {
    return {}
  }
}

exports.nodeFlags = () => {
  try {
    return process.execArgv.filter(isText)
  } catch {
    return []
  }
}
