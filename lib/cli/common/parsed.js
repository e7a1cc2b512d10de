'use strict'

/** The object in a JSON text of others, empty if there is none. @param {string} text @returns {any} */
exports.parsed = (text) => {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
