'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { filesBelow, parse } = require('../support/source-tree')

/**
 * How large lib/ may be, in lines that hold code (comments and blank lines are free), room by room, and in figures of
 * the whole. They only go down. `node test/unit/size.test.js --write` sets them to what is measured.
 */
const BUDGETS = {
  'lib/*': 45,
  'lib/bridge': 630,
  'lib/cli': 4645,
  'lib/cluster': 824,
  'lib/explain': 2674,
  'lib/export': 4840,
  'lib/host': 4620,
  'lib/options': 362,
  'lib/store': 619,
  'lib/tables': 396,
  'lib/util': 676,
  'lib/watchdog': 5682,
  files: 342,
  'files up to 60 lines with one importer': 23,
  'named numbers': 533
}

/** A figure this far below its budget lowers it, or the next change could take what this one has saved. */
const SLACK = 0.03
/** A file this short that a single other one imports is mostly a part of that one. */
const SHORT_LINES = 60

const sources = filesBelow('lib')
  .filter((file) => /\.m?js$/.test(file) && !file.startsWith('lib/declarations/')).map(parse)

/** @param {string} file */
const roomOf = (file) => file.split('/').length === 2 ? 'lib/*' : file.split('/').slice(0, 2).join('/')

/** @param {string} file @returns {number} how many files of lib/ import it, for values or types */
function importersOf (file) {
  const names = [file, file.replace(/\.m?js$/, ''), file.replace(/\/index\.js$/, '')]
  return sources.filter((source) => source.imports.some(({ name }) =>
    name.startsWith('.') && names.includes(path.posix.join(path.posix.dirname(source.file), name)))).length
}

function measure () {
  /** @type {Record<string, number>} */
  const figures = {}
  for (const { file, codeLines } of sources) figures[roomOf(file)] = (figures[roomOf(file)] ?? 0) + codeLines
  const rooms = Object.fromEntries(Object.entries(figures).sort(([a], [b]) => a < b ? -1 : 1))
  return {
    ...rooms,
    files: sources.length,
    'files up to 60 lines with one importer': sources.filter(({ file, lines }) => lines <= SHORT_LINES && importersOf(file) === 1).length,
    'named numbers': sources.reduce((sum, { text }) => sum + [...text.matchAll(/^const [A-Z][A-Z0-9_]+ = [-\d._]+\b/gm)].length, 0)
  }
}

/** @param {Record<string, number>} figures */
function tableOf (figures) {
  const rows = Object.entries(figures).map(([name, value]) => `  ${/\W/.test(name) ? `'${name}'` : name}: ${value}`)
  return `const BUDGETS = {\n${rows.join(',\n')}\n}`
}

/** @type {Record<string, number>} */
const measured = measure()

if (process.argv.includes('--write')) {
  fs.writeFileSync(__filename, fs.readFileSync(__filename, 'utf8').replace(/^const BUDGETS = \{[^}]*\}/m, tableOf(measured)))
} else {
  test('no room of lib/ is above its budget, and none keeps a budget that it no longer needs', () => {
    const budgets = /** @type {Record<string, number>} */ (BUDGETS)
    const names = [...new Set([...Object.keys(budgets), ...Object.keys(measured)])]
    const wrong = names.flatMap((name) => {
      const [value, budget] = [measured[name] ?? 0, budgets[name] ?? 0]
      if (value > budget) return `${name}: ${value} is ${value - budget} above the budget of ${budget}`
      return value < budget * (1 - SLACK) ? `${name}: lower the budget of ${budget} to ${value}` : []
    })
    assert.deepEqual(wrong, [], 'take out what is not needed. `node test/unit/size.test.js --write` sets the budgets to\n' +
      `what is there now; a commit that raises one says why.\n${tableOf(measured)}`)
  })
}
