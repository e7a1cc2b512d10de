'use strict'

const path = require('node:path')

/** @import { BlockRecord, Frame } from '../../types' */

/** Extensions of source files. A frame's file may come from a source map, which could name any file. */
const SOURCE = /\.(?:[cm]?[jt]sx?|vue|svelte|coffee|civet)$/i
/** Lines shown before and after the place. */
const AROUND = 4
/** A longer line is minified: only its beginning is shown. */
const LINE_CHARS = 200

/** @typedef {{ file: string, line: number, lines: { line: number, text: string, share: number }[] }} Excerpt */

/** Null if it is not a source file on disk. @param {Pick<BlockRecord, 'frame'>} record */
exports.fileToShow = ({ frame }) => {
  const file = frame?.compiled === true ? null : frame?.file ?? null
  return file !== null && path.isAbsolute(file) && SOURCE.test(file) ? file : null
}

/** @param {BlockRecord} record @param {string[]} lines of the frame's file @returns {Excerpt | null} */
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
 * In a profile, only the innermost function has the line where it ran. Stacks have lines for all functions, but may
 * have been taken after a native call.
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

/** @param {{ frame: Frame | undefined, weightMs: number }[]} seen */
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
