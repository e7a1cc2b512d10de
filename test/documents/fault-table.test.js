'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { collect } = require('../support/fault-results')
const { isSound, markdownTables, renderFaults, rows } = require('../support/fault-table')

/** @param {{ name: string, type?: string, skip?: boolean | string }} event */
const event = ({ name, type = 'test:pass', skip }) => ({ type, data: { name, skip, details: { duration_ms: 1500 } } })

/** @param {any[]} events */
const stream = (events) => (async function * () { yield * events })()

test('every fault of the table has its test', () => {
  for (const { file, test: name, within } of rows) {
    const source = fs.readFileSync(path.join(__dirname, '..', `${file}.test.js`), 'utf8').replaceAll("\\'", "'")
    for (const each of [name, within ?? name]) assert.ok(source.includes(`${each}'`) || source.includes(`${each}\``), `${file}: ${each}`)
  }
})

test('the table in README.md is that of the rows', () => {
  const readme = fs.readFileSync(path.join(__dirname, '..', 'README.md'), 'utf8')
  assert.ok(readme.includes(`<!-- faults -->\n${markdownTables()}\n<!-- end of faults -->`), 'npm run test:faults -- --write')
})

test('a fault that failed, or did not run, does not pass; a skipped one is listed', async () => {
  const all = rows.map(({ test: name }) => event({ name }))
  assert.equal(isSound(await collect(stream(all))), true)
  assert.equal(isSound(await collect(stream(all.slice(1)))), false)
  const [first, second, ...rest] = rows.map(({ test: name }) => name)
  const failed = await collect(stream([event({ name: first, type: 'test:fail' }), event({ name: second, skip: 'needs a tool' }), ...rest.map((name) => event({ name }))]))
  assert.equal(isSound(failed), false)
  assert.match(renderFaults(failed, Infinity), new RegExp(`${rows.length} faults: 1 failed, 1 skipped, ${rows.length - 2} passed`))
})

test('figures go to the fault they are of', async () => {
  const [{ test: name }] = rows
  const results = await collect(stream([event({ name }), { type: 'test:diagnostic', data: { message: `measured of "${name}": 3 of 3` } }]))
  assert.deepEqual(results, [{ name, outcome: 'passed', seconds: 1.5, measured: '3 of 3' }])
  assert.match(renderFaults(results, Infinity), /passed +1\.5\n[^]*3 of 3/)
})
