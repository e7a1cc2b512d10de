'use strict'

/** A promise that the application returned to us must not end the process by rejecting. @param {unknown} value */
exports.ignoreRejection = (value) => {
  if (value instanceof Promise) value.catch(() => {})
}
