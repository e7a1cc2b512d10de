'use strict'

const process = require('../util/process')

// An application may have put anything in place of `process.env` and `process.execArgv`: null, numbers, a Proxy that
// lets nobody look. What cannot be read is as if it had not been set.

/** @type {(value: unknown) => value is string} */
const isText = (value) => typeof value === 'string'

/** @param {string} name @returns {string | undefined} */
exports.variable = (name) => {
  try {
    const value = process.env[name]
    return isText(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether variables can be read at all. */
exports.isReadable = () => {
  try {
    return typeof process.env.FORCE_COLOR !== 'symbol'
  } catch {
    return false
  }
}

/** Every variable, as it is now; none where nobody may look. @returns {NodeJS.ProcessEnv} */
exports.environment = () => {
  try {
    return Object.fromEntries(Object.entries(process.env).filter(([, value]) => isText(value)))
  } catch {
    return {}
  }
}

/** The flags that Node.js was started with. @returns {string[]} */
exports.nodeFlags = () => {
  try {
    return process.execArgv.filter(isText)
  } catch {
    return []
  }
}
