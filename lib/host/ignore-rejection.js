'use strict'

/** If the application returns a promise to us, its rejection must not end the process. @param {unknown} value */
exports.ignoreRejection = (value) => {
  if (value instanceof Promise) value.catch(() => {})
}
