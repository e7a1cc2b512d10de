'use strict'

const { causeRow } = require('../tables/causes')
const { BYTES_PER_KB } = require('./units')

/** @import { BlockRecord } from '../types' */

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** As Node.js counts it: 256 MB for `--max-old-space-size=256`. @param {number} bytes @param {string} [unit] its own */
function inBytes (bytes, unit = unitOf(bytes)) {
  const value = bytes / BYTES_PER_KB ** UNITS.indexOf(unit)
  return `${value < 10 && unit !== 'B' ? value.toFixed(1) : Math.round(value)} ${unit}`
}

/** @param {number} bytes */
function unitOf (bytes) {
  const steps = Math.floor(Math.log(bytes) / Math.log(BYTES_PER_KB))
  return UNITS[Math.min(UNITS.length - 1, Math.max(0, steps))]
}

/** Two amounts: "243 of 256 MB". @param {number} part @param {number} whole */
const outOf = (part, whole) => `${inBytes(part, unitOf(whole)).split(' ')[0]} of ${inBytes(whole)}`

/** @param {number} part @param {number} whole */
const percent = (part, whole) => `${Math.round(part / whole * 100)}%`

/** Why a block's time went to the collector; null if it did not. @param {BlockRecord} record */
exports.garbageOf = ({ cause, evidence: { memory } }) => {
  if (!causeRow(cause).blamesAllocation || !memory?.heapLimitBytes) return null
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
