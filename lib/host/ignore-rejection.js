'use strict'

/**
 * A function of the application's that should have answered at once gave a promise: its rejection
 * must not end the process for our having asked.
 * @param {unknown} value
 */
exports.ignoreRejection = (value) => {
  if (value instanceof Promise) value.catch(() => {})
}
