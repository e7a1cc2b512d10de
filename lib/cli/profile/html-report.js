'use strict'

const { createHash } = require('node:crypto')
const { readText } = require('../../export/page/assets')

/** @type {Record<string, string>} */
const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** @param {unknown} text */
const escaped = (text) => String(text).replace(/[&<>"]/g, (letter) => entities[letter])

/**
 * One file, which loads nothing.
 * @param {{ title: string, summary: string, flameTitle: string, tree: object, tail?: string }} report
 *   tail: markup below the flame graph; tree: { name, file, value in ms, children }
 */
exports.htmlReport = ({ title, summary, flameTitle, tree, tail = '' }) => {
  const script = readText('report.js').replaceAll('</script', '<\\/script')
  const hash = createHash('sha256').update(script).digest('base64')
  // No other script can run, whatever an application's functions are called.
  const policy = `default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-${hash}'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<style>${readText('page.css')}
.report-table { border-collapse: collapse; width: 100%; background: var(--panel); }
.report-table th, .report-table td { border: 1px solid var(--line); padding: .3rem .6rem;
  text-align: start; vertical-align: top; }
.report-table td { overflow-wrap: anywhere; }
.report-table td.figure { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
</style>
</head>
<body>
<header><h1>${escaped(title)}</h1><p>${escaped(summary)}</p></header>
<main>
<section><h2>${escaped(flameTitle)}</h2><div id="flame"></div></section>
${tail}
</main>
<script type="application/json" id="data">${JSON.stringify(tree).replaceAll('<', '\\u003c')}</script>
<script>${script}</script>
</body>
</html>
`
}

/** @param {string[]} heads @param {(string | { figure: string })[][]} rows figures are aligned to the right */
exports.htmlTable = (heads, rows) => {
  const head = heads.map((each) => `<th scope="col">${escaped(each)}</th>`).join('')
  const cellOf = (/** @type {string | { figure: string }} */ cell) =>
    typeof cell === 'string' ? `<td>${escaped(cell)}</td>` : `<td class="figure">${escaped(cell.figure)}</td>`
  const body = rows.map((cells) => `<tr>${cells.map(cellOf).join('')}</tr>`).join('\n')
  return `<table class="report-table"><thead><tr>${head}</tr></thead>\n<tbody>${body}</tbody></table>`
}
