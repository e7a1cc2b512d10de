'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { causes } = require('../../lib/tables/causes')
const catalogue = require('../../lib/tables/metrics')
const errors = require('../../lib/tables/errors')
const { table: shedOptions } = require('../../lib/host/shedding/options')
const { table: decisions } = require('../../lib/explain/cause')
const { doubts } = require('../../lib/explain/place/place')
const { table: reasons } = require('../../lib/explain/place/points')
const options = require('../../lib/options/table')
const scenarios = require('../../scenarios/harness/measure/metrics')
const { startAgent } = require('../support/docs/world')
const { read, ROOT, tables } = require('../support/docs/markdown')
const { readPublicTypes } = require('../support/docs/public-types')
const { dashboards, queriesOf } = require('../support/grafana')

const RULES = path.join(ROOT, 'grafana', 'prometheus')
/** Of a histogram's series. */
const SUFFIXES = ['_bucket', '_sum', '_count']

/** An option's default as a table has it. @param {{ default: unknown }} row */
const defaultOf = ({ default: value }) => value === undefined ? 'none' : typeof value === 'object' ? JSON.stringify(value) : String(value)

/**
 * The names in the first column of a table, also where one cell has two: `blocks()`, `on('block', listener)`.
 * @param {string[][]} rows
 */
const namesIn = (rows) => rows.map(([name]) => /^\w+/.exec(name)?.[0])

const meanings = Object.entries(causes).map(([cause, { meaning }]) => [cause, meaning])

test('README and docs explain every cause, and docs print the rules of causes as they are', () => {
  assert.deepEqual(tables('README.md', 'Causes')[0], meanings, 'README, Causes: the rows of lib/tables/causes.js')
  assert.deepEqual(tables('docs/causes/README.md', 'Causes')[0], meanings, 'docs/causes/README.md: the rows of lib/tables/causes.js')
  const rules = read('docs/causes/README.md').replace(/\s+/g, ' ')
  for (const { cause, when } of decisions) assert.ok(rules.includes(`**\`${cause}\`**: ${when}.`), `docs/causes/README.md lacks a rule of lib/explain/cause.js: ${when}`)
})

test('docs print the tables by which the line is chosen and doubted as they are', () => {
  assert.deepEqual(tables('docs/understand/lines.md', 'How the line is found')[0], reasons.map(({ name, weight, alone = weight, when }) =>
    [name, alone === weight ? `${weight}` : `${weight} (${alone} without a profile)`, when]))
  assert.deepEqual(tables('docs/understand/lines.md', 'Doubts')[0], doubts.map(({ when }) => [when]))
})

test('docs list every metric as it is', () => {
  assert.deepEqual(tables('docs/use/metrics.md', 'Metrics')[0], catalogue.table.map(({ name, type, labels, help }) => [name, type, labels.join(', '), help]))
})

test('docs list every reason for which a part of the agent is degraded', async (t) => {
  const { url } = await startAgent(t)
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const reasons = [...metrics.matchAll(/^loopwatch_degraded\{reason="(\w+)"\}/gm)].map(([, reason]) => reason)
  assert.ok(reasons.length > 5, metrics)
  assert.deepEqual(tables('docs/use/metrics.md', 'reason of loopwatch_degraded')[0].map(([reason]) => reason), reasons)
})

test('docs list every option with its default', () => {
  const all = options.table.map((row) => [row.key, defaultOf(row)])
  assert.deepEqual(tables('docs/use/options.md', 'Options')[0].map(([key, value]) => [key, value]), all)
})

test('docs list every option of the middleware and the plugin as it is', () => {
  assert.deepEqual(tables('docs/use/shedding.md', 'Overload shedding')[0], shedOptions.map(({ key, doc, ...row }) => [key, defaultOf(row), doc]))
})

/** Source files below a folder, from the root. @param {string} folder */
const sources = (folder) => fs.readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.js') && !/node_modules|declarations/.test(file)).map((file) => path.join(folder, file))

test('docs list every code of errors and warnings with a cause and a remedy, and the code throws each', () => {
  const code = ['lib', 'scenarios'].flatMap(sources).filter((file) => file !== path.join('lib', 'tables', 'errors.js')).map(read).join('\n')
  const [thrown, warned] = [/'(LOOPWATCH_ERR_\w+)'/g, /'(LOOPWATCH_WARN_\w+)'/g].map((pattern) => [...new Set([...code.matchAll(pattern)].map(([, name]) => name))])
  assert.deepEqual(thrown.sort(), Object.keys(errors.table).sort())
  const rows = tables('docs/use/errors.md', '').flat()
  assert.deepEqual(rows.map(([name]) => name).sort(), [...thrown, ...warned].sort())
  for (const row of rows) assert.ok(row.length === 3 && row.every((cell) => cell !== ''), `${row}`)
})

test('docs describe what the types describe: exports, the agent, a record and what is in it', () => {
  const types = readPublicTypes()
  const introduced = read('docs/use/api.md').split('\n## ')[0]
  const namedThere = types.exports.filter((name) => introduced.includes(`\`${name}\``))
  assert.deepEqual(namedThere, ['Agent', 'BlockRecord', 'Load', 'LoopwatchError', 'Options', 'SlowIncident', 'Work', 'allow', 'expectNoBlocks', 'run', 'start', 'wrap'])
  assert.deepEqual(namedThere, types.exports)
  const inherited = ['on']
  assert.deepEqual(namesIn(tables('docs/use/api.md', 'The agent')[0]).sort(), [...types.agent, ...inherited].sort())
  for (const [title, fields] of Object.entries(types.record)) {
    assert.deepEqual(namesIn(tables('docs/use/record.md', title)[0]).sort(), fields.sort(), title)
  }
})

test('the document of TypeScript has each type that the declarations export, and no other', () => {
  const exported = [...read('lib/declarations/index.d.ts').matchAll(/^export type (\w+)/gm)].map(([, name]) => name)
  const described = [...read('docs/start/modules-and-builds.md').matchAll(/^\| `([A-Z]\w+)` \|/gm)].map(([, name]) => name)
  assert.deepEqual(described.sort(), exported.sort())
})

test('every metric of the catalogue is in a panel or a rule', () => {
  const queries = [...dashboards().values()].flatMap((dashboard) => queriesOf(dashboard).map(({ expr }) => expr))
  const rules = fs.readdirSync(RULES).filter((file) => file.endsWith('.yml'))
    .map((file) => fs.readFileSync(path.join(RULES, file), 'utf8'))
  const used = new Set([...queries, ...rules].flatMap((text) => text.match(/\bloopwatch_\w+/g) ?? []))
  const rows = [...catalogue.table, ...scenarios.table]
  const unused = rows.filter(({ name, type }) =>
    ![name, ...(type === 'histogram' ? SUFFIXES.map((suffix) => name + suffix) : [])].some((series) => used.has(series)))
  assert.deepEqual(unused.map(({ name }) => name), [], 'a panel (grafana/src, npm run grafana) or a rule (grafana/prometheus)')
})
