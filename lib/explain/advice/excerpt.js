'use strict'

const path = require('node:path')
const { weightOf } = require('../frame')

/** @import { BlockRecord } from '../../types' */

/** Extensions of source files. A frame's file may come from a source map, which could name any file. */
const SOURCE = /\.(?:[cm]?[jt]sx?|vue|svelte|coffee|civet)$/i
/** Lines shown before and after the place. */
const AROUND = 4
/** A longer line is minified: only its beginning is shown. */
const LINE_CHARS = 200

/** @typedef {{ file: string, line: number, lines: { line: number, text: string, share: number }[] }} Excerpt */

/** The source file of a block, null if that is not on disk. @param {Pick<BlockRecord, 'frame'>} record */
exports.fileToShow = ({ frame }) => {
  const file = frame?.compiled ? '' : frame?.file ?? ''
  return path.isAbsolute(file) && SOURCE.test(file) ? file : null
}

/**
 * The lines around a place, with the share of each. Only the innermost function of a profile has the line where it ran.
 * Stacks have lines for all functions, but may have been taken after a native call.
 * @param {BlockRecord} record @param {string[]} lines of the frame's file @returns {Excerpt | null}
 */
exports.excerptOf = ({ frame, profile, stacks }, lines) => {
  const { file = null, line = null } = frame ?? {}
  if (file === null || line === null || lines[line - 1] === undefined) return null
  const profiled = (profile?.stacks ?? []).map(({ frames, weightMs }) => ({ at: frames[0], weightMs }))
  const sampled = stacks.map(({ frames, weightMs }) => ({ at: frames.find((each) => each.file === file), weightMs }))
  const inFile = [profiled, sampled].map((all) => all.filter(({ at }) => at?.file === file))
    .find((all) => all.some(({ at }) => at?.line === line)) ?? []
  const first = Math.max(1, line - AROUND)
  const lineOf = (/** @type {string} */ text, /** @type {number} */ i) => ({
    line: first + i,
    text: text.length > LINE_CHARS ? `${text.slice(0, LINE_CHARS - 1)}…` : text,
    share: weightOf(inFile.filter(({ at }) => at?.line === first + i)) / (weightOf(inFile) || 1)
  })
  return { file, line, lines: lines.slice(first - 1, line + AROUND).map(lineOf) }
}
