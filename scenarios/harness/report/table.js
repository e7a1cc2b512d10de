'use strict'

const Table = require('cli-table3')
const { columnsOf, counted, furtherTables } = require('./format')

/** No lines drawn: what is copied into an issue stays readable, and columns are narrow enough for 120. */
const PLAIN = { chars: Object.fromEntries(['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'].map((name) => [name, ''])), style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] } }

/**
 * Rows in columns, or one block of lines a row where the terminal is too narrow for that.
 * @param {string[]} head
 * @param {string[][]} rows
 * @param {{ columns: number, isNumber?: (boolean | undefined)[] }} options
 */
exports.renderTable = (head, rows, { columns, isNumber = [] }) => {
  // A column that says nothing takes no room.
  const used = head.map((_, i) => i).filter((i) => rows.some((row) => row[i] !== '' && row[i] !== undefined))
  const table = new Table(/** @type {any} */ ({
    ...PLAIN,
    chars: { ...PLAIN.chars, middle: '  ' },
    head: used.map((i) => head[i]),
    colAligns: used.map((i) => isNumber[i] ? 'right' : 'left')
  }))
  for (const row of rows) table.push(used.map((i) => row[i] ?? ''))
  const text = table.toString().split('\n').map((line) => line.trimEnd()).join('\n')
  if (Math.max(...text.split('\n').map(({ length }) => length)) <= columns) return text
  return rows.map((row) => used.filter((i) => row[i]).map((i, at) => wrap(at === 0 ? row[i] : `  ${head[i]}: ${row[i]}`, columns)).join('\n')).join('\n')
}

/** At spaces, four columns further in from the second line on. @param {string} text @param {number} columns */
function wrap (text, columns) {
  const lines = ['']
  for (const word of text.split(/(?<=\S) /)) {
    const line = lines[lines.length - 1]
    if (line !== '' && line.length + 1 + word.length > columns) lines.push(`    ${word}`)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join('\n')
}

/**
 * What is printed of a run.
 * @param {import('../interface').Document} document
 * @param {import('../interface').Scenario} scenario
 * @param {number} columns of the terminal; Infinity where it is none
 */
exports.renderDocument = (document, scenario, columns) => {
  const { environment: { node, cpu, cores, kernel, loadAverage }, repeats, cells, interrupted } = document
  const shown = columnsOf(scenario)
  const parts = [
    wrap(
      `${document.scenario}, ${document.mode}: ${counted(repeats, 'repeat')}. Node ${node}, ${cores} cores, ${cpu}, ${kernel}, load ${loadAverage} before.`,
      columns
    ),
    wrap(document.verdict, columns),
    interrupted ? wrap('Interrupted: what was finished until then.', columns) : '',
    exports.renderTable(
      shown.map(({ title }) => title),
      cells.map((cell) => shown.map(({ text }) => text(cell))),
      { columns, isNumber: shown.map((column) => column.isNumber) }
    ),
    ...furtherTables(document, scenario).map(({ title, head, rows, notes = [] }) =>
      [
        wrap(title, columns),
        exports.renderTable(head, rows, { columns, isNumber: head.map((_, i) => i > 0) }),
        ...notes.map((note) => wrap(note, columns))
      ].join('\n')
    ),
    document.findings.map((finding) => wrap(`- ${finding}`, columns)).join('\n')
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

exports.wrap = wrap
