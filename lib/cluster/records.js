'use strict'

const { causes } = require('../causes')

/** A thousand of them fit the primary's watchdog; mostly all ten stacks fit one. */
const RECORD_BYTES = 16 * 1024
const ID = /^[\w.-]{1,64}$/

/**
 * A record as it travels: with as many of its stacks as there is room for, the heaviest first, and none of a CPU profile.
 * @param {any} record
 * @returns {any} bare where it is too large even without, which ends a block in the primary; null where that is too large
 */
exports.fit = ({ profile, ...rest }) => {
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
  const least = { ...record, stacks: [], frame: null, leaf: null, request: null, origin: null, profile: null }
  return bytes(least) <= RECORD_BYTES ? least : null
}

/** Whether what came over the wire can be listed beside the primary's own records. @param {any} record */
exports.isRecord = (record) =>
  typeof record === 'object' && record !== null && ID.test(record.id) &&
  Number.isInteger(record.pid) && typeof record.thread === 'string' && Object.hasOwn(causes, record.cause) &&
  typeof record.durationMs === 'number' && typeof record.ongoing === 'boolean' && typeof record.startedAt === 'string' &&
  Array.isArray(record.stacks) && (record.profile == null || Array.isArray(record.profile.stacks)) && [record.frame, record.request, record.evidence].every((part) => typeof part === 'object') &&
  bytes(record) <= RECORD_BYTES

/** @param {unknown} value */
function bytes (value) {
  return Buffer.byteLength(JSON.stringify(value))
}
