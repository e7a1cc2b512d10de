'use strict'

// What the bakeoff holds for true and how it judges, on plain data. test/scenarios/quick.alone.test.js runs it.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { causes } = require('../../lib/tables/causes')
const { contestants } = require('../../scenarios/bakeoff/contestants')
const { corpus, FEW, isJs } = require('../../scenarios/bakeoff/corpus/corpus')
const { FILES, linesOf } = require('../../scenarios/bakeoff/corpus/marks')
const { scenario } = require('../../scenarios/bakeoff/scenario')
const { makeDocument } = require('../support/scenario-document')

const FOLDER = path.join(__dirname, '..', '..', 'scenarios', 'bakeoff', 'corpus')
const spin = /** @type {import('../../scenarios/bakeoff/corpus/corpus').Case} */ (corpus.find(({ name }) => name === 'spin'))

test('the corpus has enough blocks, and of each the function, the lines that are marked in its source, and a cause there is', () => {
  assert.ok(corpus.length >= 25, `${corpus.length}`)
  assert.ok(corpus.filter(isJs).length >= 10)
  assert.deepEqual(new Set(corpus.map(({ server }) => server)), new Set(['plain', 'express', 'fastify', 'koa']))
  assert.equal(new Set(corpus.map(({ name }) => name)).size, corpus.length)
  for (const { name, module, kind, server, lines, cause } of corpus) {
    const { blocks, ...mounts } = require(`../../scenarios/bakeoff/corpus/${module}`)
    const mount = `mount${server[0].toUpperCase()}${server.slice(1)}`
    if (kind === 'mounted') assert.equal(typeof mounts[mount], 'function', name)
    else if (kind !== 'startup' && kind !== 'together') assert.equal(typeof blocks[name], 'function', name)
    assert.ok(lines?.length > 0, `${name} has no line marked`)
    for (const each of cause) assert.ok(each in causes, `${name}: ${each}`)
  }
  for (const name of FEW) assert.ok(corpus.some((each) => each.name === name), name)
  const [file, line] = spin.lines[0].split(':')
  assert.match(fs.readFileSync(path.join(FOLDER, file), 'utf8').split('\n')[Number(line) - 1], /while \(Date\.now/)
  assert.deepEqual(linesOf('a\nb // here: x y\nc // here: x'), { x: [2, 3], y: [2] })
})

test('a mark stands behind the code that it is about: alone in its line it would make the right line a wrong one', () => {
  for (const file of FILES) {
    assert.doesNotMatch(fs.readFileSync(path.join(FOLDER, file), 'utf8'), /^ *\/\/ here:/m, file)
  }
})

test('the first 48 blocks run as they were unless others are asked for, and the later sets alone or with them', () => {
  const casesOf = (/** @type {string | undefined} */ set) => {
    const { environment } = makeDocument()
    const [cell] = scenario.plan({ mode: 'default', options: { corpus: set }, environment, isListing: true })
    return /** @type {string[]} */ (cell.data?.cases)
  }
  const [first, fresh, shapes, all] = ['first', 'fresh', 'shapes', 'all'].map(casesOf)
  assert.equal(first.length, 48, 'new blocks belong to corpus/fresh/cases.js')
  assert.ok(fresh.length >= 20, `${fresh.length}`)
  // One of them is of a database that begins with Node.js 22.
  assert.ok(shapes.length === 16 || shapes.length === 15, `${shapes.length}`)
  assert.deepEqual([casesOf(undefined), all], [first, [...first, ...fresh, ...shapes]])
  assert.throws(() => scenario.options?.[0].parse?.('old'), { code: 'LOOPWATCH_ERR_OPTION' })
})

test('a contestant that is not installed is left out by name, with what installs it, and the others run', (t) => {
  const { packages } = contestants.blocked
  t.after(() => { contestants.blocked.packages = packages })
  contestants.blocked.packages = ['blocked-elsewhere']
  const cells = scenario.plan({ mode: 'default', options: {}, environment: makeDocument().environment, isListing: false })
  assert.deepEqual(cells.filter(({ skipped }) => skipped !== null).map(({ variant, skipped }) => [variant, skipped]), [['blocked', 'needs npm install --no-save blocked-elsewhere']])
  assert.equal(cells.length, 9)
  assert.match(scenario.findings({ ...makeDocument(), cells: [{ ...makeDocument().cells[2], variant: 'blocked' }] })[0], /^blocked was not measured: go is not/)
})
