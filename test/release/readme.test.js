'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { causes } = require('../../lib/tables/causes')
const catalogue = require('../../lib/tables/metrics')
const { table: shedOptions } = require('../../lib/host/shedding/options')
const { table: decisions } = require('../../lib/explain/cause')

const readme = fs.readFileSync(path.join(__dirname, '..', '..', 'README.md'), 'utf8')

/** The rows of the tables of a section, cells trimmed, without headings. @param {string} title */
function rowsOf (title) {
  const start = readme.indexOf(`\n## ${title}\n`)
  const section = readme.slice(start, readme.indexOf('\n## ', start + 1))
  return section.split('\n').filter((line) => line.startsWith('| ') && !/^\|[-|\s]+$/.test(line))
    .map((line) => line.slice(1, -1).split('|').map((cell) => cell.trim().replace(/^`(.*)`$/, '$1')))
}

test('the README explains every cause and prints the decision table as it is', () => {
  const rows = rowsOf('Causes')
  const meanings = rows.filter((cells) => cells.length === 2).slice(1)
  assert.deepEqual(meanings, Object.entries(causes).map(([cause, { meaning }]) => [cause, meaning]))
  const rules = rows.filter((cells) => cells.length === 3).slice(1)
  assert.deepEqual(rules, decisions.map(({ cause, when }, i) => [`${i + 1}`, cause, when]))
})

test('the README lists every metric as it is', () => {
  assert.deepEqual(rowsOf('Metrics').slice(1), catalogue.table.map(({ name, type, labels, help }) => [name, type, labels.join(', '), help]))
})

test('the README lists every option of the middleware and the plugin as it is', () => {
  assert.deepEqual(rowsOf('Overload shedding').slice(1), shedOptions.map(({ key, default: value, doc }) => [key, value === undefined ? 'none' : String(value), doc]))
})

test('the README links to files that exist', () => {
  for (const [, target] of readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
    assert.ok(fs.existsSync(path.join(__dirname, '..', '..', target)), target)
  }
})
