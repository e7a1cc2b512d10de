'use strict'

const { inMarkdown, markdownTable } = require('../../../lib/cli/common/output')
const { columnsOf, furtherTables } = require('./format')

/** An empty column is left out. @param {string[][]} rows */
const usedIn = (rows) => (/** @type {unknown} */ _, /** @type {number} */ i) => rows.some((row) => (row[i] ?? '') !== '')

/**
 * The results of a run, for a ticket.
 * @param {import('../interface').Document} document
 * @param {import('../interface').Scenario} scenario
 */
exports.renderMarkdown = (document, scenario) => {
  const { mode, repeats, cells, findings, interrupted, verdict } = document
  const { node, cpu, cores, kernel, loadAverage } = document.environment
  const columns = columnsOf(scenario)
  const rows = cells.map((cell) => columns.map(({ text }) => text(cell)))
  const isUsed = usedIn(rows)
  const shown = columns.filter(isUsed)
  const cellsOf = rows.map((row) => row.filter(isUsed))
  const measured = markdownTable(shown.map(({ title }) => title), cellsOf, (i) => shown[i].isNumber)
  const further = furtherTables(document, scenario).map(({ title, head, rows, notes = [], keep = 1 }) =>
    [`### ${inMarkdown(title)}\n`, markdownTable(head, rows, (i) => i >= keep), ...notes.map((note) => `${inMarkdown(note)}\n`)].join('\n'))
  const where = `${mode}, repeats: ${repeats}. Node ${node}, ${cores} cores, ${cpu}, ${kernel}, load ${loadAverage} before.`
  return [
    `## ${inMarkdown(document.scenario)}: ${inMarkdown(scenario.title)}\n`,
    `${inMarkdown(where)}${interrupted ? ' Interrupted: only finished runs are shown.' : ''}\n`,
    `**${inMarkdown(verdict)}**\n`,
    ...(findings.length === 0 ? [] : [`${findings.map((finding) => `- ${inMarkdown(finding)}`).join('\n')}\n`]),
    measured,
    ...further
  ].join('\n')
}
