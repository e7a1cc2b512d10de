'use strict'

const { isRecord } = require('../store/record')
const { shownStacks } = require('../util/shown-stacks')

/** @import { BlockRecord } from '../types' */

/** Largest record on the wire. All ten stacks mostly fit, and a thousand such records fit in the primary's watchdog. */
const RECORD_BYTES = 16 * 1024

/**
 * A record for the wire, with as many of the stacks that are drawn as there is room for, the heaviest first. A record
 * that is too large without stacks is sent bare, which is enough to end a block in the primary.
 * @param {any} whole @returns {any} null if still too large, or if it is not a record: that would close the connection
 */
exports.fit = (whole) => {
  if (!isRecord(whole)) return null
  const { profile } = whole
  const { stacks, isProfiled } = shownStacks(whole)
  for (const fewer of smaller(stacks)) {
    const fitted = {
      ...whole,
      stacks: isProfiled ? [] : fewer,
      ...(profile && { profile: { ...profile, stacks: isProfiled ? fewer : [] } })
    }
    if (exports.isSmall(fitted)) return fitted
  }
  const nothing = { frame: null, leaf: null, package: null, request: null, origin: null, profile: null }
  const bare = { ...whole, stacks: [], ...nothing }
  return exports.isSmall(bare) ? bare : null
}

/** Fewer stacks, then frames @param {BlockRecord['stacks']} stacks @returns {Generator<BlockRecord['stacks'], void>} */
function * smaller (stacks) {
  for (let count = stacks.length; count > 1; count--) yield stacks.slice(0, count)
  const first = stacks.slice(0, 1)
  yield first
  for (let count = first[0]?.frames.length ?? 0; count > 0; count >>= 1) {
    yield first.map((stack) => ({ ...stack, frames: stack.frames.slice(0, count >> 1) }))
  }
}

/** Whether a record is as small as fit() makes it. @param {BlockRecord} record */
exports.isSmall = (record) => Buffer.byteLength(JSON.stringify(record)) <= RECORD_BYTES
