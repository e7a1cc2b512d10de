'use strict'

const { lookAt } = require('./block-view')
const { detectors } = require('./detectors')
const { excerptOf } = require('./excerpt')
const { isExcused, ownCauseOf, ownMsOf } = require('../../tables/causes')
const { growthIn } = require('../../util/growth')

/** @import { BlockRecord } from '../../types' */

/** Pieces of advice for one block. Nobody reads more. */
const MOST = 3

/** @typedef {{ kind: string, text: string, doc: string }} Advice `doc` is a page of the package */

/**
 * Advice on a block, the most specific first.
 * @param {BlockRecord} record with all its stacks @param {string[] | null} [lines] of the blamed frame's file
 * @param {BlockRecord[]} [earlier] blocks of the same place, oldest first, this one last
 * @param {string} [growth] of the function with the size of its input @returns {Advice[]}
 */
exports.adviceOf = (record, lines = null, earlier = [], growth = '') => {
  if (isExcused(record)) return []
  // The machine may have taken longer: advice is about what the application did.
  const view = lookAt({ ...record, cause: ownCauseOf(record) }, lines ?? [], earlier, growth)
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
  const inFile = frame === null ? [] : records().filter((other) => other.frame?.file === frame.file)
  const earlier = inFile.filter((other) => other.startedAt <= startedAt && other.frame?.line === frame?.line)
  // Lines depend on where samples fell, and a function without a name has nothing else.
  const key = frame?.function === null ? 'line' : 'function'
  const shares = inFile.filter((other) => other.frame?.[key] === frame?.[key] && !isExcused(other))
    .map((other) => ({ ...other, durationMs: ownMsOf(other) }))
  return {
    block: record,
    source: excerptOf(record, lines ?? []),
    advice: exports.adviceOf(record, lines, earlier, growthIn(shares))
  }
}
