'use strict'

/** @typedef {(value: any) => boolean} Validator of a value parsed from JSON */

/** @type {Validator} */
exports.isText = (value) => typeof value === 'string'

/** @type {Validator} */
exports.isFlag = (value) => typeof value === 'boolean'

/** @param {Validator} is @returns {Validator} */
exports.orNull = (is) => (value) => value === null || is(value)

/** @param {Validator} is @returns {Validator} */
exports.orMissing = (is) => (value) => value === undefined || value === null || is(value)

/** @param {Validator} is @returns {Validator} */
exports.listOf = (is) => (value) => Array.isArray(value) && value.every((item) => is(item))

/** An object with these fields, and any others. @param {Record<string, Validator>} fields @returns {Validator} */
exports.objectOf = (fields) => {
  const validators = Object.entries(fields)
  return (value) => typeof value === 'object' && value !== null && !Array.isArray(value) &&
    validators.every(([name, is]) => is(value[name]))
}
