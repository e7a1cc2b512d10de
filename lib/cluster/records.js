'use strict'

const { isRecord } = require('../store/record')

/** @typedef {import('../types').BlockRecord} BlockRecord */

/** Largest record on the wire. All ten stacks mostly fit, and a thousand such records fit in the primary's watchdog. */
const RECORD_BYTES = 16 * 1024

/**
 * A record as it is sent: with as many of its stacks as there is room for, the heaviest first, and none of a CPU
 * profile. A record that is too large even without stacks is sent bare: that is enough to end a block in the primary.
 * @param {any} record @returns {any} null if still too large, or if it is no record: that would close the connection
 */
exports.fit = ({ profile, ...rest }) => {
  if (!isRecord(/** @type {any} */ ({ profile, ...rest }))) return null
  const record = profile ? { ...rest, profile: { ...profile, stacks: [] } } : rest
  const stacks = [...record.stacks]
  while (stacks.length > 1 && bytes({ ...record, stacks }) > RECORD_BYTES) stacks.pop()
  if (bytes({ ...record, stacks }) <= RECORD_BYTES) return { ...record, stacks }
  return withSomeFrames(record, stacks) ?? bare(record)
}

/** @param {any} record @param {any[]} stacks */
function withSomeFrames (record, stacks) {
  if (stacks.length === 0) return null
  const [{ frames, ...heaviest }, ...others] = stacks
  // A stack has no frames if all were the agent's own.
  for (let count = frames.length; ; count >>= 1) {
    const fitted = { ...record, stacks: [{ ...heaviest, frames: frames.slice(0, count) }, ...others] }
    if (bytes(fitted) <= RECORD_BYTES) return fitted
    if (count === 0) return null
  }
}

/** @param {any} record */
function bare (record) {
  const nothing = { frame: null, leaf: null, package: null, request: null, origin: null, profile: null }
  const least = { ...record, stacks: [], ...nothing }
  return bytes(least) <= RECORD_BYTES ? least : null
}

/** Whether a record is as small as fit() makes it. @param {BlockRecord} record */
exports.isSmall = (record) => bytes(record) <= RECORD_BYTES

/** @param {unknown} value */
function bytes (value) {
  return Buffer.byteLength(JSON.stringify(value))
}
