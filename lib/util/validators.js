'use strict'

/** @typedef {(value: any) => boolean} Shape whether a value that was parsed from JSON is such */

/** @type {Shape} */
exports.isText = (value) => typeof value === 'string'

/** @type {Shape} */
exports.isFlag = (value) => typeof value === 'boolean'

/** @param {Shape} is @returns {Shape} */
exports.orNull = (is) => (value) => value === null || is(value)

/** @param {Shape} is @returns {Shape} */
exports.orMissing = (is) => (value) => value === undefined || value === null || is(value)

/** @param {Shape} is @returns {Shape} */
exports.listOf = (is) => (value) => Array.isArray(value) && value.every((item) => is(item))

/** What else it has does not matter. @param {Record<string, Shape>} fields @returns {Shape} */
exports.objectOf = (fields) => {
  const shapes = Object.entries(fields)
  return (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && shapes.every(([name, is]) => is(value[name]))
}
