'use strict'

const path = require('node:path')

/** What source is written in. A frame's file may be named by a source map, which could name any file. */
const SOURCE = /\.(?:[cm]?[jt]sx?|vue|svelte|coffee|civet)$/i
/** Lines shown before and after the place. */
const AROUND = 4
/** Of a longer line only the begin is shown: it is minified. */
const LINE_CHARS = 200

/** @typedef {import('../../types').BlockRecord} BlockRecord */
/** @typedef {{ file: string, line: number, lines: { line: number, text: string, share: number }[] }} Excerpt */

/**
 * The file of which lines may be shown for a block; null where its place is in none that is source on a disk.
 * @param {Pick<BlockRecord, 'frame'>} record
 */
exports.fileToShow = ({ frame }) => {
  const file = frame?.compiled === true ? null : frame?.file ?? null
  return file !== null && path.isAbsolute(file) && SOURCE.test(file) ? file : null
}

/**
 * Whether two blocks are of one place, the other one no later: those before a block tell whether it grows.
 * @param {BlockRecord} other
 * @param {BlockRecord} record
 */
exports.isEarlier = (other, { frame, startedAt }) =>
  other.startedAt <= startedAt && other.frame?.file === frame?.file && other.frame?.line === frame?.line

/**
 * The lines around the place of a block, each with its share of the time that was seen in them.
 * @param {BlockRecord} record
 * @param {string[]} lines of the frame's file
 * @returns {Excerpt | null} null where the file has no such line
 */
exports.excerptOf = (record, lines) => {
  const { frame } = record
  if (frame === null || frame.file === null || frame.line === null || frame.line < 1) return null
  const { file, line } = frame
  if (line > lines.length) return null
  const shares = sharesOf(record, file, line)
  const first = Math.max(1, line - AROUND)
  const shown = lines.slice(first - 1, line + AROUND)
  const lineOf = (/** @type {string} */ text, /** @type {number} */ i) =>
    ({ line: first + i, text: cut(text), share: shares.get(first + i) ?? 0 })
  return { file, line, lines: shown.map(lineOf) }
}

/** @param {string} text */
const cut = (text) => text.length > LINE_CHARS ? `${text.slice(0, LINE_CHARS - 1)}…` : text

/**
 * The share of each line of a file. Of a profile only the innermost function has the line where it was; the stacks have
 * it for all, but may have been taken when a native call had returned.
 * @param {BlockRecord} record @param {string} file @param {number} line that is blamed
 */
function sharesOf (record, file, line) {
  const profiled = (record.profile?.stacks ?? []).map(({ frames, weightMs }) => ({ frame: frames[0], weightMs }))
  const sampled = record.stacks.map(({ frames, weightMs }) =>
    ({ frame: frames.find((each) => each.file === file), weightMs }))
  for (const seen of [profiled, sampled]) {
    const shares = weigh(seen.filter(({ frame }) => frame?.file === file))
    if (shares.has(line)) return shares
  }
  return new Map()
}

/** @param {{ frame: import('../../types').Frame | undefined, weightMs: number }[]} seen */
function weigh (seen) {
  const totalMs = seen.reduce((sum, { weightMs }) => sum + weightMs, 0)
  /** @type {Map<number, number>} */
  const shares = new Map()
  for (const { frame, weightMs } of seen) {
    const at = frame?.line ?? 0
    shares.set(at, (shares.get(at) ?? 0) + (totalMs === 0 ? 0 : weightMs / totalMs))
  }
  return shares
}
