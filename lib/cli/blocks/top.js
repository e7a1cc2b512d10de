'use strict'

const { counted, duration, place, printable, workOf } = require('../../export/log/sentence')
const { markdownTable } = require('../common/markdown')

const HEAD = ['place', 'work', 'cause', 'blocks', 'total', 'share', 'longest']
/** Columns of numbers are aligned to the right. */
const NUMERIC = [3, 4, 5, 6]
/** More rows than a screen has answer nobody's question. */
const ROWS = 20

/** @typedef {import('../../types').BlockRecord} BlockRecord */

/** @param {BlockRecord} block */
const workNameOf = (block) => workOf(block) ?? (block.startup ? '(start-up)' : '(no request)')

/** @param {BlockRecord} block */
const placeOf = ({ frame }) => frame === null ? '-' : /** @type {string} */ (place(frame))

/**
 * Blocks added up by place, work and cause, the longest in total first.
 * @param {BlockRecord[]} blocks
 */
exports.culpritsOf = (blocks) => {
  /**
   * @type {Map<string, { place: string, work: string, cause: string, count: number, totalMs: number, longestMs:
   *   number, longestId: string }>}
   */
  const groups = new Map()
  for (const block of blocks) {
    const own = { place: placeOf(block), work: workNameOf(block), cause: block.cause }
    const key = JSON.stringify(own)
    const group = groups.get(key) ?? { ...own, count: 0, totalMs: 0, longestMs: -1, longestId: '' }
    group.count++
    group.totalMs += block.durationMs
    if (block.durationMs > group.longestMs) Object.assign(group, { longestMs: block.durationMs, longestId: block.id })
    groups.set(key, group)
  }
  return [...groups.values()].sort((a, b) => b.totalMs - a.totalMs)
}

/**
 * What was blocked, as a table for people.
 * @param {BlockRecord[]} blocks
 * @returns {string}
 */
exports.topTable = (blocks) => tableOf(blocks, align)

/**
 * The same as a table of Markdown, for a ticket.
 * @param {BlockRecord[]} blocks
 */
exports.topMarkdown = (blocks) => tableOf(blocks, markdown)

/**
 * @param {BlockRecord[]} blocks
 * @param {(rows: string[][]) => string} draw
 */
function tableOf (blocks, draw) {
  if (blocks.length === 0) return 'no blocks\n'
  const culprits = exports.culpritsOf(blocks)
  const allMs = culprits.reduce((sum, { totalMs }) => sum + totalMs, 0)
  const rows = culprits.slice(0, ROWS).map(({ place, work, cause, count, totalMs, longestMs }) =>
    [place, work, cause, `${count}`, duration(totalMs), `${Math.round(100 * totalMs / allMs)} %`, duration(longestMs)].map(printable))
  const rest = culprits.length > ROWS ? `  and ${culprits.length - ROWS} more\n` : ''
  const title = `${counted(blocks.length, 'block')}, ${duration(allMs)} in all\n\n`
  return `${title}${draw([HEAD, ...rows])}${rest}`
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
