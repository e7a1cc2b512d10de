'use strict'

const Table = require('cli-table3')
const { columnsOf, counted, furtherTables } = require('./format')

/** No lines drawn: what is copied into an issue stays readable. */
const PLAIN = { chars: Object.fromEntries(['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'].map((name) => [name, ''])), style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] } }

/** A width that fits an issue, a mail and most terminals. */
const WIDEST = 120
/** A head is broken where that makes its column narrower, down to this. */
const LEAST_HEAD = 10
/** Beyond the leading columns, for a note to be read. */
const LEAST_ROOM = 24

/** @param {string} text */
const widthOf = (text) => Math.max(...text.split('\n').map(({ length }) => length))

/**
 * Rows in columns, in several tables below each other if one would be too wide, or one block of lines a row where the
 * terminal is too narrow for that.
 * @param {string[]} head
 * @param {string[][]} rows
 * @param {{ columns: number, isNumber?: (boolean | undefined)[], keep?: number }} options keep: leading columns that
 * each of the tables has
 */
exports.renderTable = (head, rows, { columns: available, isNumber = [], keep = 1 }) => {
  const columns = Math.min(available, WIDEST)
  // A column that says nothing takes no room.
  const used = head.map((_, i) => i).filter((i) => rows.some((row) => row[i] !== '' && row[i] !== undefined))
  const [lead, rest] = [used.slice(0, keep), used.slice(keep)]
  const draw = (/** @type {number[]} */ part, room = Infinity) => {
    const shown = part.length === 0 ? rows : rows.filter((row) => part.some((i) => row[i]))
    const cells = shown.map((row) => [...lead.map((i) => row[i] ?? ''), ...part.map((i) => wrap(row[i] ?? '', room, ''))])
    const table = new Table(/** @type {any} */ ({
      ...PLAIN,
      chars: { ...PLAIN.chars, middle: '  ' },
      head: [...lead, ...part].map((i, at) => wrap(head[i], Math.max(LEAST_HEAD, ...cells.map((row) => widthOf(row[at]))), '')),
      colAligns: [...lead, ...part].map((i) => isNumber[i] ? 'right' : 'left')
    }))
    table.push(...cells)
    return table.toString().split('\n').map((line) => line.trimEnd()).join('\n')
  }
  const room = columns - widthOf(draw([])) - 2
  const parts = /** @type {number[][]} */ ([])
  for (const i of rest) {
    const part = parts.at(-1)
    if (part !== undefined && widthOf(draw([...part, i], room)) <= columns) part.push(i)
    else parts.push([i])
  }
  const tables = parts.map((part) => draw(part, room))
  if (room >= LEAST_ROOM && tables.every((text) => widthOf(text) <= columns)) return tables.join('\n\n')
  return rows.map((row) => used.filter((i) => row[i]).map((i, at) => wrap(at === 0 ? row[i] : `  ${head[i]}: ${row[i]}`, columns)).join('\n')).join('\n')
}

/**
 * At spaces, four columns further in from the second line on.
 * @param {string} text @param {number} columns @param {string} [indent]
 */
function wrap (text, columns, indent = '    ') {
  const lines = ['']
  for (const word of text.split(/(?<=\S) /)) {
    const line = lines[lines.length - 1]
    if (line !== '' && line.length + 1 + word.length > columns) lines.push(`${indent}${word}`)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join('\n')
}

/**
 * The printed result of a run.
 * @param {import('../interface').Document} document
 * @param {import('../interface').Scenario} scenario
 * @param {number} available columns of the terminal; Infinity where it is none
 */
exports.renderDocument = (document, scenario, available) => {
  const columns = Math.min(available, WIDEST)
  const { environment: { node, cpu, cores, kernel, loadAverage }, repeats, cells, interrupted } = document
  const shown = columnsOf(scenario)
  const parts = [
    wrap(
      `${document.scenario}, ${document.mode}: ${counted(repeats, 'repeat')}. Node ${node}, ${cores} cores, ${cpu}, ${kernel}, load ${loadAverage} before.`,
      columns
    ),
    wrap(document.verdict, columns),
    interrupted ? wrap('Interrupted: only finished runs are shown.', columns) : '',
    document.findings.map((finding) => wrap(`- ${finding}`, columns)).join('\n'),
    exports.renderTable(
      shown.map(({ title }) => title),
      cells.map((cell) => shown.map(({ text }) => text(cell))),
      { columns, isNumber: shown.map((column) => column.isNumber), keep: 2 }
    ),
    ...furtherTables(document, scenario).map(({ title, head, rows, notes = [], keep }) =>
      [
        wrap(title, columns),
        exports.renderTable(head, rows, { columns, keep, isNumber: head.map((_, i) => i >= (keep ?? 1)) }),
        ...notes.map((note) => wrap(note, columns))
      ].join('\n')
    )
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

exports.wrap = wrap
