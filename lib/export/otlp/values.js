'use strict'

/**
 * Values in OTLP's JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 * @typedef {string | number | boolean} Plain
 * @typedef {{ stringValue: string } | { boolValue: boolean } | { intValue: number } | { doubleValue: number }} AnyValue
 * @typedef {{ key: string, value: AnyValue }} KeyValue
 */

const NS_PER_TENTH_MS = 100000n

/** A whole time stays a double: receivers give a column one type. */
const TIME = /_ms$/

/** @param {string} key @param {Plain} value @returns {AnyValue} */
function anyValue (key, value) {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) && !TIME.test(key) ? { intValue: value } : { doubleValue: value }
}

/** Leaves out null and undefined. @param {Record<string, Plain | null | undefined>} attributes @returns {KeyValue[]} */
exports.keyValues = (attributes) => Object.entries(attributes).flatMap(([key, value]) =>
  value === null || value === undefined ? [] : [{ key, value: anyValue(key, value) }])

/** Wall time in ns as text, exact to the tenth of a ms, as in records. @param {number} wallMs since 1970 */
exports.nanos = (wallMs) => `${BigInt(Math.round(wallMs * 10)) * NS_PER_TENTH_MS}`
