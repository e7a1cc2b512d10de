'use strict'

const { causeRow, ownCauseOf } = require('../tables/causes')

/** @import { BlockRecord } from '../types' */

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']
const STEP = 1024

/** Units as Node.js counts them: 256 MB for `--max-old-space-size=256`. @param {number} bytes @param {string} [unit] */
function inBytes (bytes, unit = unitOf(bytes)) {
  const value = bytes / STEP ** UNITS.indexOf(unit)
  return `${value < 10 && unit !== 'B' ? value.toFixed(1) : Math.round(value)} ${unit}`
}

/** @param {number} bytes */
const unitOf = (bytes) => UNITS[Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log(bytes) / Math.log(STEP))))]

/** Two amounts: "243 of 256 MB". @param {number} part @param {number} whole */
const outOf = (part, whole) => `${inBytes(part, unitOf(whole)).split(' ')[0]} of ${inBytes(whole)}`

/** @param {number} part @param {number} whole */
const percent = (part, whole) => `${Math.round(part / whole * 100)}%`

/** Why a block's time went to the collector; null if it did not. @param {BlockRecord} record */
exports.garbageOf = (record) => {
  const { memory } = record.evidence
  if (!causeRow(ownCauseOf(record)).blamesAllocation || !memory?.heapLimitBytes) return null
  const { heapUsedBytes = 0, heapFreedBytes = 0, heapLimitBytes, isHeapFull, allocatedBytesPerSecond } = memory
  if (isHeapFull) {
    const full = `the heap is ${percent(heapUsedBytes, heapLimitBytes)} full (${outOf(heapUsedBytes, heapLimitBytes)})`
    return `${full} and collecting frees ${percent(heapFreedBytes, heapUsedBytes)}: something keeps memory`
  }
  return allocatedBytesPerSecond ? `allocating ${inBytes(allocatedBytesPerSecond)}/s` : null
}

exports.inBytes = inBytes
exports.outOf = outOf
exports.percent = percent
