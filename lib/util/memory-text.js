'use strict'

const { causeRow, ownCauseOf } = require('../tables/causes')
const { place } = require('./place-text')

/** @import { BlockRecord, MemoryShare } from '../types' */

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

/** "64% in toPage (shop/pages.js:18), 12% in rows (shop/rows.js:3)". @param {MemoryShare[]} functions */
exports.sharesText = (functions) =>
  functions.map((each) => `${percent(each.share, 1)} in ${place(each)}`).join(', ')

/** Whether this block, or one before it that began a heap profile, found the heap full. @param {BlockRecord} record */
exports.hasFullHeap = ({ evidence: { memory } }) => memory?.isHeapFull ?? memory?.heapProfile?.isHeapFull ?? false

/** The function that fills the heap; empty if no profile shows it. @param {BlockRecord} record */
exports.keeperOf = ({ evidence }) => {
  const [keeper] = evidence.memory?.heapProfile?.keptBy ?? []
  return keeper === undefined ? '' : `${percent(keeper.share, 1)} of the latest was allocated in ${place(keeper)}`
}

/** Why a block's time went to the collector; null if it did not. @param {BlockRecord} record */
exports.garbageOf = (record) => {
  const { memory } = record.evidence
  if (!causeRow(ownCauseOf(record)).blamesAllocation || !memory?.heapLimitBytes) return null
  const { heapUsedBytes = 0, heapFreedBytes = 0, heapLimitBytes, isHeapFull, allocatedBytesPerSecond } = memory
  if (isHeapFull) {
    const full = `the heap is ${percent(heapUsedBytes, heapLimitBytes)} full (${outOf(heapUsedBytes, heapLimitBytes)})`
    const keeper = exports.keeperOf(record)
    return `${full}, and the collector frees only ${percent(heapFreedBytes, heapUsedBytes)} of that: a leak, or a ` +
      `cache without a limit${keeper && `, ${keeper}`}`
  }
  return allocatedBytesPerSecond ? `allocating ${inBytes(allocatedBytesPerSecond)}/s` : null
}

exports.inBytes = inBytes
exports.outOf = outOf
exports.percent = percent
