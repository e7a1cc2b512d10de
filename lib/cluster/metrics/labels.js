'use strict'

/** As many as one worker may have series; beyond, the table begins anew, which costs memory and nothing else. */
const MOST_KEPT = 50_000

/** @typedef {Record<string, string | number>} Labels */

/**
 * Workers of one application have the same series: 16 of them with 4000 each shared one heap of
 * 128 MB with difficulty before their labels were held once.
 * @type {Map<string, Labels>}
 */
const kept = new Map()
/** @type {WeakMap<Labels, string>} */
const sets = new WeakMap()

/** The same labels as everybody else's object. @param {Labels} labels @returns {Labels} */
exports.shared = (labels) => {
  const text = JSON.stringify(labels)
  const known = kept.get(text)
  if (known !== undefined) return known
  if (kept.size >= MOST_KEPT) kept.clear()
  kept.set(text, labels)
  return labels
}

/** What names a set of labels, in whichever order they come. The samples of a histogram share theirs. @param {Labels} labels */
exports.setOf = (labels) => {
  let set = sets.get(labels)
  if (set === undefined) {
    const entries = Object.entries(labels).filter(([name]) => name !== 'le')
    set = JSON.stringify(entries.sort(([a], [b]) => a < b ? -1 : 1))
    sets.set(labels, set)
  }
  return set
}
