'use strict'

const { ownerOf, packageNameOf } = require('../../util/code-owner')
const { shownStacks } = require('../../util/shown-stacks')

/** @import { BlockRecord, Frame } from '../../types' */

/** Number of lines above the blamed one that are searched for a loop or a list. */
const ABOVE = 8

/**
 * @typedef {object} BlockView what detectors work on
 * @property {BlockRecord} record
 * @property {BlockRecord[]} earlier blocks of the same place, oldest first, this one last
 * @property {string | null} call the built-in that had the time: by the profile, else by a guess
 * @property {string} line text of the blamed line, empty if unknown
 * @property {string} near that line and the lines above it
 * @property {string[]} lines of the file, empty if unknown
 * @property {Frame[]} frames of the heaviest stack, innermost first
 * @property {Frame[]} callees the frames below the blamed function
 */

/** @param {BlockRecord} record @param {string[] | null} lines @param {BlockRecord[]} earlier @returns {BlockView} */
exports.lookAt = (record, lines, earlier) => {
  const { frame, probable, profile } = record
  // If the line is not exact, the call was probably in the line that is shown next to it.
  const at = probable?.line ?? frame?.line ?? 0
  const frames = shownStacks(record).stacks[0]?.frames ?? []
  const blamed = frames.findIndex(({ file, function: name }) => file === frame?.file && name === frame?.function)
  return {
    record,
    earlier,
    call: profile?.call ?? probable?.call ?? null,
    line: lines?.[at - 1] ?? '',
    near: lines?.slice(Math.max(0, at - 1 - ABOVE), at).join('\n') ?? '',
    lines: lines ?? [],
    frames,
    callees: blamed < 0 ? frames : frames.slice(0, blamed)
  }
}

/** @param {Frame} frame */
exports.packageOf = (frame) => ownerOf(frame) === 'package' ? packageNameOf(`${frame.file}`) : null

/** The package that did the work, if it is one of these. @param {BlockView} view @param {Set<string>} names */
exports.packageIn = ({ record, callees }, names) =>
  [record.package?.name, ...callees.map(exports.packageOf)].find((name) => names.has(name ?? ''))

/** Whether a built-in of V8 with one of these names was innermost. @param {BlockView} view @param {string[]} names */
exports.isIn = ({ frames: [innermost] }, names) =>
  innermost !== undefined && innermost.file === null && names.includes(innermost.function ?? '')
