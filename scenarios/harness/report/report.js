'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { escape, renderBars } = require('./bar-chart')
const { columnsOf, counted, furtherTables } = require('./format')
const { terms, variantsOf } = require('./glossary')
const { cellName } = require('../measure/live')

/** @typedef {import('../interface').Document} Document */
/** @typedef {import('../interface').Scenario} Scenario */

/** A table with more columns gets a smaller font, so that it fits a window of 1280 px. */
const MANY = 12

/** @param {string} tag @param {string[]} cells @param {(boolean | undefined)[]} isNumber */
const row = (tag, cells, isNumber) => `<tr>${cells.map((cell, i) => `<${tag}${isNumber[i] ? ' class="number"' : ''}>${escape(cell)}</${tag}>`).join('')}</tr>`

/** @param {string[]} head @param {string[][]} rows @param {(boolean | undefined)[]} isNumber */
const table = (head, rows, isNumber) =>
  `<div class="scroll"><table${head.length > MANY ? ' class="many"' : ''}><thead>${row('th', head, isNumber)}</thead><tbody>${rows.map((cells) => row('td', cells, isNumber)).join('')}</tbody></table></div>`

/** A download within the report, which stays one file. @param {string} name of the file @param {object} data */
const jsonLink = (name, data) => {
  const base64 = Buffer.from(`${JSON.stringify(data, null, 2)}\n`).toString('base64')
  return `<p><a download="${escape(name)}" href="data:application/json;base64,${base64}">Download the results as JSON</a></p>`
}

/**
 * Charts of the medians by unit, for a scenario without charts of its own.
 * @param {Document} document
 * @returns {import('../interface').Chart[]}
 */
const plainCharts = ({ cells }) => [...new Set(cells.map(({ unit }) => unit))].map((unit) => ({
  title: 'Medians',
  unit,
  groups: [{
    label: '',
    bars: cells.flatMap((cell) => cell.unit !== unit || cell.median === null
      ? []
      : [{ series: `${cell.variant} ${cellName(cell.params)}`, value: cell.median, low: cell.min ?? undefined, high: cell.max ?? undefined, oversubscribed: cell.oversubscribed }])
  }]
}))

/** The meaning of this run's variants, and of the words of the table. @param {Document} document */
function glossary ({ scenario, cells }) {
  const known = variantsOf(scenario)
  const variants = [...new Set(cells.map(({ variant }) => variant))].flatMap((name) => {
    const words = known.get(name)
    return words === undefined ? [] : [[name, words]]
  })
  const list = (/** @type {string[][]} */ entries) => `<dl>${entries.map(([name, words]) => `<dt>${escape(name)}</dt><dd>${escape(words)}</dd>`).join('')}</dl>`
  return `${variants.length === 0 ? '' : `<h3>The variants</h3>${list(variants)}`}<details><summary>The columns</summary>${list(terms)}<p class="quiet">For the other columns and the origin of this scenario, see scenarios/${escape(scenario)}/README.md.</p></details>`
}

/** @param {Document} document @param {Scenario} scenario */
async function section (document, scenario) {
  const {
    environment: { node, cpu, cores, kernel, platform, loadAverage, tools },
    verdict,
    findings,
    cells,
    mode,
    startedAt,
    repeats,
    interrupted
  } = document
  const charts = (scenario.charts ?? plainCharts)(document).filter(({ groups }) =>
    groups.some(({ bars }) => bars.length > 0)
  )
  const figures = await Promise.all(charts.map(async (chart) => {
    const legend = chart.stacked ? `<p class="quiet">${(chart.groups[0]?.bars ?? []).map(({ series }, i) => `<span class="key s${i}"></span>${escape(series)}`).join(' ')}</p>` : ''
    return `<figure>${await renderBars(chart)}${legend}${chart.note ? `<p class="quiet">${escape(chart.note)}</p>` : ''}</figure>`
  }))
  const shown = columnsOf(scenario).map((column) => ({ ...column, cells: cells.map(column.text) })).filter(({ cells }) => cells.some((text) => text !== ''))
  const comparisons = furtherTables(document, scenario)
  const machine = [`Node ${node}`, `${cores} cores`, cpu, kernel, platform, `load ${loadAverage} before`, ...Object.entries(tools).map(([name, version]) => `${name} ${version}`)]
  return `<section>
<h2>${escape(document.scenario)}</h2>
<p>${escape(scenario.title)}</p>
<p class="verdict">${escape(verdict)}</p>
<p class="quiet">${escape(`${mode}, ${counted(repeats, 'repeat')}, ${startedAt.slice(0, 16).replace('T', ' ')} UTC. ${machine.join(', ')}.`)}${interrupted ? ' <strong>Interrupted.</strong>' : ''}</p>
${findings.length > 0 ? `<ul>${findings.map((finding) => `<li>${escape(finding)}</li>`).join('')}</ul>` : ''}
<div class="charts">${figures.join('')}</div>
${comparisons.map(({ title, head, rows, notes = [], keep = 1 }) => `<h3>${escape(title)}</h3>${table(head, rows, head.map((_, i) => i >= keep))}${notes.map((note) => `<p class="quiet">${escape(note)}</p>`).join('')}`).join('')}
<h3>Every cell</h3>
${table(shown.map(({ title }) => title), cells.map((_, i) => shown.map((column) => column.cells[i])), shown.map(({ isNumber }) => isNumber))}
${glossary(document)}
${jsonLink(`loopwatch-${document.scenario}.json`, document)}
${scenario.diagrams === undefined ? '' : `<h3>How the variants work</h3><div class="charts">${scenario.diagrams.map((svg) => `<figure>${svg}</figure>`).join('')}</div>`}
</section>`
}

/**
 * One file that needs nothing else: no script, no font, no address.
 * @param {Document[]} documents
 * @param {Scenario[]} scenarios
 */
exports.renderReport = async (documents, scenarios) => {
  const sections = await Promise.all(
    documents.map((document) =>
      section(document, /** @type {Scenario} */ (scenarios.find(({ name }) => name === document.scenario)))
    )
  )
  const style = fs.readFileSync(path.join(__dirname, 'report.css'), 'utf8')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>loopwatch scenario ${escape(documents.map(({ scenario }) => scenario).join(', '))}</title>
<style>${style}</style>
<h1>loopwatch scenario ${escape(documents.map(({ scenario }) => scenario).join(', '))}</h1>
${sections.join('\n')}
<p class="quiet">Bars are medians; whiskers are the smallest and the largest run. Each run is a fresh process. The 95% interval is Student's t on logarithms.</p>
</html>
`
}

exports.jsonLink = jsonLink
