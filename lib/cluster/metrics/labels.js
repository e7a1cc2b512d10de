'use strict'

/** Most sets of labels in the table: as many as a worker may have series. A full table is cleared. */
const MOST_KEPT = 50_000

/** @typedef {Record<string, string | number>} Labels */

/**
 * Workers have the same series. Without sharing labels, 16 workers of 4000 series each hardly fit a heap of 128 MB.
 * @type {Map<string, Labels>}
 */
const kept = new Map()
/** @type {WeakMap<Labels, string>} */
const sets = new WeakMap()

/** The one object for these labels. @param {Labels} labels @returns {Labels} */
exports.shared = (labels) => {
  const text = JSON.stringify(labels)
  const known = kept.get(text)
  if (known !== undefined) return known
  if (kept.size >= MOST_KEPT) kept.clear()
  kept.set(text, labels)
  return labels
}

/** A name for these labels in any order. The samples of one histogram have the same name. @param {Labels} labels */
exports.setOf = (labels) => {
  let set = sets.get(labels)
  if (set === undefined) {
    const entries = Object.entries(labels).filter(([name]) => name !== 'le')
    set = JSON.stringify(entries.sort(([a], [b]) => a < b ? -1 : 1))
    sets.set(labels, set)
  }
  return set
}
