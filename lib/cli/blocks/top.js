'use strict'

const { groupByCulprit, NO_WORK, remedyOf, withSharedNames } = require('../../export/culprits')
const { growthIn } = require('../../util/growth')
const { place, withoutPlace } = require('../../util/place-text')
const { counted, duration, printable, workOf } = require('../../util/sentence')
const { markdownTable } = require('../common/output')

/** @import { BlockRecord } from '../../types' */

const HEAD = ['place', 'work', 'cause', 'blocks', 'total', 'share', 'longest']
const NUMERIC = [3, 4, 5, 6]
const ROWS = 20

/** Number of heaviest culprits that get advice. */
exports.ADVISED = 3

/** Blocks by function and file, the longest total first. @param {BlockRecord[]} blocks */
exports.culpritsOf = (blocks) => groupByCulprit(withSharedNames(blocks), nameOf)
  .map(({ shares, frame, otherLines, work, ...culprit }) => ({
    ...culprit,
    growth: frame === null ? '' : growthIn(shares),
    place: frame === null
      ? remedyOf(culprit.cause) ?? withoutPlace(shares[0])
      : `${place(frame)?.slice(0, -1)}${otherLines.map((line) => `, ${line}`).join('')})`,
    hasPlace: frame !== null,
    work: work || NO_WORK
  }))

/** @type {import('../../export/culprits').NameOf} */
const nameOf = (ran, { startup }) => workOf(ran) ?? (startup ? '(startup)' : null)

/** @param {BlockRecord[]} blocks */
exports.topTable = (blocks) => tableOf(blocks, align)

/** The same in Markdown, for a ticket. @param {BlockRecord[]} blocks */
exports.topMarkdown = (blocks) => tableOf(blocks, markdown)

/** @param {BlockRecord[]} blocks @param {(rows: string[][]) => string} draw @returns {string} */
function tableOf (blocks, draw) {
  if (blocks.length === 0) return 'no blocks\n'
  const ofMain = blocks.filter(({ threadId }) => !threadId)
  return [ofMain.length === 0 ? '' : mainTable(ofMain, draw), threadTable(blocks, draw)].filter(Boolean).join('\n')
}

const isPlaced = (/** @type {BlockRecord} */ { frame }) => frame !== null

/** A worker thread exists to compute, so its blocks have no share. @type {typeof tableOf} */
function threadTable (blocks, draw) {
  const names = new Set(blocks.flatMap(({ thread, threadId }) => threadId ? thread : []))
  const rows = [...names].map((name) => {
    const own = blocks.filter(({ thread, threadId }) => threadId && thread === name)
    // Few blocks have a profile, and so a place.
    const [{ place, cause }] = exports.culpritsOf(own.some(isPlaced) ? own.filter(isPlaced) : own)
    const lengths = own.map(({ durationMs }) => durationMs)
    const times = [lengths.reduce((sum, ms) => sum + ms, 0), Math.max(...lengths)].map((ms) => duration(ms))
    return [name, place, cause, `${own.length}`, ...times].map(printable)
  })
  const head = ['worker thread', 'mostly', ...HEAD.slice(2, 5), 'longest']
  return rows.length === 0 ? '' : draw([head, ...rows.slice(0, ROWS)])
}

/** @type {typeof tableOf} */
function mainTable (blocks, draw) {
  const culprits = exports.culpritsOf(blocks)
  const allMs = culprits.reduce((sum, { totalMs }) => sum + totalMs, 0)
  const rows = culprits.slice(0, ROWS).map(({ place, work, cause, count, totalMs, longestMs, growth }) =>
    [
      place, work, cause,
      `${count || '-'}`, duration(totalMs), `${Math.round(100 * totalMs / allMs)}%`, duration(longestMs),
      ...(growth === '' ? [] : [growth])
    ].map(printable))
  const rest = culprits.length > ROWS ? `  and ${culprits.length - ROWS} more\n` : ''
  return `${counted(blocks.length, 'block')}, ${duration(allMs)} in all\n\n${draw([HEAD, ...rows])}${rest}`
}

/** @param {string[][]} rows one that is longer than the first ends with a line to go below it */
function align (rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)))
  const pad = (/** @type {string} */ cell, /** @type {number} */ i) =>
    NUMERIC.includes(i) ? cell.padStart(widths[i]) : cell.padEnd(widths[i])
  return rows.map((row) => {
    const cells = row.slice(0, widths.length)
    const growth = row.length > cells.length ? `    ${row.at(-1)}\n` : ''
    return `  ${cells.map(pad).join('  ').trimEnd()}\n${growth}`
  }).join('')
}

/** @param {string[][]} rows the first is the head */
function markdown ([head, ...rows]) {
  const cells = rows.map(([place, ...row]) =>
    row.length < head.length ? [place, ...row] : [`${place}: ${row.at(-1)}`, ...row.slice(0, -1)])
  return markdownTable(head, cells, (i) => NUMERIC.includes(i))
}
