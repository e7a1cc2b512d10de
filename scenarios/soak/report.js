'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { escape } = require('../harness/report/bar-chart')
const { renderLines } = require('./line-chart')

const MB = 1024 * 1024
const S_PER_MIN = 60

/** @param {import('./judge').Row} row */
exports.verdict = ({ isMet }) => isMet === null ? '' : isMet ? 'met' : 'BROKEN'

/**
 * One HTML file that needs nothing else.
 * @param {{ title: string, machine: string, rows: import('./judge').Row[], points: import('./judge').Point[] }} run
 */
exports.renderSoak = async ({ title, machine, rows, points }) => {
  /** @param {string} name @param {(point: import('./judge').Point) => number} valueOf */
  const line = (name, valueOf) => ({
    name,
    points: points.map((point) => /** @type {[number, number]} */ ([point.atS / S_PER_MIN, valueOf(point)]))
  })
  const charts = await Promise.all([
    { title: 'Resident memory', unit: 'MB', lines: [line('watched', ({ watched }) => watched.residentBytes / MB), line('bare', ({ bare }) => bare.residentBytes / MB)] },
    { title: 'Memory outside the main thread\'s heap', unit: 'MB', lines: [line('watched', ({ watched }) => (watched.residentBytes - watched.heapBytes) / MB), line('bare', ({ bare }) => (bare.residentBytes - bare.heapBytes) / MB)] },
    { title: 'The main thread\'s heap in use', unit: 'MB', lines: [line('watched', ({ watched }) => watched.heapUsedBytes / MB), line('bare', ({ bare }) => bare.heapUsedBytes / MB)] },
    { title: 'Blocks of the main thread', unit: 'so far', lines: [line('made', ({ made }) => made), line('counted', ({ counted }) => counted)] },
    { title: 'Open files', unit: 'count', lines: [line('watched', ({ watched }) => watched.files), line('bare', ({ bare }) => bare.files)] }
  ].map(renderLines))
  const style = fs.readFileSync(path.join(__dirname, '..', 'harness', 'report', 'report.css'), 'utf8')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escape(title)}</title>
<style>${style}
.line { fill: none; stroke-width: 1.6; }
.l0 { stroke: var(--s0); } .l1 { stroke: var(--s1); stroke-dasharray: 6 3; } .l2 { stroke: var(--s2); stroke-dasharray: 2 3; }
</style>
<h1>${escape(title)}</h1>
<p class="quiet">${escape(machine)}</p>
<div class="scroll"><table><thead><tr><th>what</th><th>seen</th><th>bound</th><th></th></tr></thead><tbody>
${rows.map((row) => `<tr><td>${escape(row.what)}</td><td class="number">${escape(row.value)}</td><td>${escape(row.bound)}</td><td>${exports.verdict(row)}</td></tr>`).join('\n')}
</tbody></table></div>
<div class="charts">${charts.join('')}</div>
</html>
`
}
