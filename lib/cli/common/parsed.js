'use strict'

/** Others' JSON; an empty object if it has none. @param {string} text @returns {any} */
exports.parsed = (text) => {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
