'use strict'

const { Culprit, keyOf, NO_WORK, remedyOf, sharesOf, withSharedNames } = require('../../export/culprits')
const { place, withoutPlace } = require('../../util/place-text')
const { counted, duration, printable, workOf } = require('../../util/sentence')
const { markdownTable } = require('../common/output')

/** @import { BlockRecord } from '../../types' */

const HEAD = ['place', 'work', 'cause', 'blocks', 'total', 'share', 'longest']
const NUMERIC = [3, 4, 5, 6]
const ROWS = 20

/** Number of heaviest culprits that get advice. */
exports.ADVISED = 3

/** @param {Culprit} culprit @param {BlockRecord} block one of its blocks */
function placeOf ({ frame, cause, otherLines }, block) {
  if (frame === null) return remedyOf(cause) ?? withoutPlace(block)
  return `${place(frame)?.slice(0, -1)}${otherLines.map((line) => `, ${line}`).join('')})`
}

/** Culprits by function and file, the longest total first. @param {BlockRecord[]} blocks */
exports.culpritsOf = (blocks) => {
  /** @type {Map<string, { culprit: Culprit, block: BlockRecord }>} */
  const groups = new Map()
  for (const block of sharesOf(withSharedNames(blocks))) {
    const group = groups.get(keyOf(block)) ?? { culprit: new Culprit(), block }
    groups.set(keyOf(block), group)
    group.culprit.add(block, (ran) => workOf(ran) ?? (block.startup ? '(start-up)' : null))
  }
  return [...groups].map(([key, { culprit, block }]) => {
    const { work, cause, count, totalMs, longestMs, longestId } = culprit
    const place = placeOf(culprit, block)
    const hasPlace = culprit.frame !== null
    return { key, place, hasPlace, work: work || NO_WORK, cause, count, totalMs, longestMs, longestId }
  }).sort((a, b) => b.totalMs - a.totalMs)
}

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
  const rows = culprits.slice(0, ROWS).map(({ place, work, cause, count, totalMs, longestMs }) =>
    [
      place, work, cause,
      `${count || '-'}`, duration(totalMs), `${Math.round(100 * totalMs / allMs)}%`, duration(longestMs)
    ].map(printable))
  const rest = culprits.length > ROWS ? `  and ${culprits.length - ROWS} more\n` : ''
  return `${counted(blocks.length, 'block')}, ${duration(allMs)} in all\n\n${draw([HEAD, ...rows])}${rest}`
}

/** @param {string[][]} rows */
function align (rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)))
  const pad = (/** @type {string} */ cell, /** @type {number} */ i) =>
    NUMERIC.includes(i) ? cell.padStart(widths[i]) : cell.padEnd(widths[i])
  return rows.map((row) => `  ${row.map(pad).join('  ').trimEnd()}\n`).join('')
}

/** @param {string[][]} rows the first is the head */
const markdown = ([head, ...rows]) => markdownTable(head, rows, (i) => NUMERIC.includes(i))
