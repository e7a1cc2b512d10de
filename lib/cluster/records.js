'use strict'

const { isRecordShaped } = require('./record-shape')

/** A thousand of them fit the primary's watchdog; mostly all ten stacks fit one. */
const RECORD_BYTES = 16 * 1024

/**
 * A record as it travels: with as many of its stacks as there is room for, the heaviest first, and none of a CPU profile.
 * @param {any} record
 * @returns {any} bare where it is too large even without, which ends a block in the primary; null where that is too large,
 * or the primary would take it for no record and close the connection
 */
exports.fit = ({ profile, ...rest }) => {
  if (!isRecordShaped({ profile, ...rest })) return null
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
  // A stack may be of no frames: nothing but the agent's own were seen.
  for (let count = frames.length; ; count >>= 1) {
    const fitted = { ...record, stacks: [{ ...heaviest, frames: frames.slice(0, count) }, ...others] }
    if (bytes(fitted) <= RECORD_BYTES) return fitted
    if (count === 0) return null
  }
}

/** @param {any} record */
function bare (record) {
  const least = { ...record, stacks: [], frame: null, leaf: null, package: null, request: null, origin: null, profile: null }
  return bytes(least) <= RECORD_BYTES ? least : null
}

/** Whether what came over the wire can be listed beside the primary's own records. @param {any} record @returns {boolean} */
exports.isRecord = (record) => isRecordShaped(record) && bytes(record) <= RECORD_BYTES

/** @param {unknown} value */
function bytes (value) {
  return Buffer.byteLength(JSON.stringify(value))
}
