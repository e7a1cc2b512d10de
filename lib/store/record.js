'use strict'

const { isText, objectOf, orMissing, orNull } = require('../util/validators')

/** @typedef {import('../types').BlockRecord} BlockRecord */

const ROUNDING = 10

/**
 * A record as lists and events carry it: with its heaviest stack only.
 * @param {BlockRecord} record
 * @returns {BlockRecord}
 */
exports.summaryOf = (record) => ({
  ...record,
  stacks: record.stacks.slice(0, 1),
  ...(record.profile && { profile: { ...record.profile, stacks: record.profile.stacks.slice(0, 1) } })
})

const isPlace = objectOf({ function: orMissing(isText), file: orMissing(isText), line: orMissing(Number.isInteger) })

/**
 * Whether a value, of a file or of an endpoint of any version, has what it takes to tell of a block; earlier
 * versions had fewer fields.
 * @type {(value: any) => value is BlockRecord}
 */
exports.isRecord = /** @type {any} */ (objectOf({
  id: isText,
  thread: orMissing(isText),
  startedAt: isText,
  durationMs: (value) => typeof value === 'number',
  cause: isText,
  frame: orNull(isPlace),
  package: orMissing(objectOf({ name: isText, version: orMissing(isText) })),
  request: orNull(objectOf({ method: orMissing(isText), route: orMissing(isText) })),
  origin: orMissing(objectOf({ frame: isPlace })),
  profile: orMissing(objectOf({ call: orMissing(isText) })),
  probable: orMissing(objectOf({ call: isText, line: Number.isInteger })),
  generated: orMissing(isPlace)
}))

/** Milliseconds to a tenth. @param {number} ms */
exports.roundMs = (ms) => Math.round(ms * ROUNDING) / ROUNDING
