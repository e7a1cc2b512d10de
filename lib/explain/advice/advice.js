'use strict'

const { lookAt } = require('./block-view')
const { detectors } = require('./detectors')
const { excerptOf } = require('./excerpt')
const { isExcused, ownCauseOf } = require('../../tables/causes')

/** @import { BlockRecord } from '../../types' */

/** Pieces of advice for one block. Nobody reads more. */
const MOST = 3

/** @typedef {{ kind: string, text: string, doc: string }} Advice `doc` is a page of the package */

/**
 * Advice on a block, the most specific first.
 * @param {BlockRecord} record with all its stacks @param {string[] | null} [lines] of the blamed frame's file
 * @param {BlockRecord[]} [earlier] blocks of the same place, oldest first, this one last @returns {Advice[]}
 */
exports.adviceOf = (record, lines = null, earlier = []) => {
  if (isExcused(record)) return []
  // The machine may have taken longer: advice is about what the application did.
  const view = lookAt({ ...record, cause: ownCauseOf(record) }, lines ?? [], earlier)
  const all = /** @type {Advice[]} */ ([])
  for (const [kind, { detect, doc }] of Object.entries(detectors)) {
    const sentences = detect(view, all.map((advice) => advice.kind))
    if (sentences) all.push({ kind, text: sentences.join(' '), doc: `docs/causes/${doc}.md` })
  }
  return all.slice(0, MOST)
}

/**
 * A record with its source and advice. Blocks of the same place show whether they grow.
 * @param {BlockRecord} record
 * @param {string[] | null} lines of its file, null if not to be shown @param {() => BlockRecord[]} records oldest first
 */
exports.detailOf = (record, lines, records) => {
  const { frame, startedAt } = record
  const isEarlier = (/** @type {BlockRecord} */ other) =>
    other.startedAt <= startedAt && other.frame?.file === frame?.file && other.frame?.line === frame?.line
  const earlier = frame === null ? [] : records().filter(isEarlier)
  return {
    block: record,
    source: excerptOf(record, lines ?? []),
    advice: exports.adviceOf(record, lines, earlier)
  }
}
