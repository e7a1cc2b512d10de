'use strict'

// runtime: how modules are compiled
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const { Module } = require('node:module')
const path = require('node:path')
const { CompiledFiles, sourceMapOf } = require('../../../lib/host/compiled-files')
const { makeDir } = require('../../support/files')

const MAP = JSON.stringify({ version: 3, sources: ['a.ts'], names: [], mappings: 'AAAA' })
const CODE = `module.exports = 1\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(MAP).toString('base64')}\n`

test('Node.js is asked for a source map only if its source is so small that decoding it holds nobody up', (t) => {
  const dir = makeDir(t)
  const { sourceMapsEnabled } = process
  process.setSourceMapsEnabled(true)
  t.after(() => process.setSourceMapsEnabled(sourceMapsEnabled))
  const compiled = (/** @type {string} */ name, /** @type {number} */ bytes) => {
    const file = path.join(dir, name)
    if (bytes > 0) fs.writeFileSync(file, ' '.repeat(bytes))
    // @ts-expect-error what compilers in memory call
    new Module(file)._compile(CODE, file)
    return sourceMapOf(file)
  }
  assert.equal(JSON.parse(`${compiled('small.ts', 1000).text}`).mappings, 'AAAA')
  assert.equal(JSON.parse(`${compiled('not-on-disk.ts', 0).text}`).mappings, 'AAAA')
  assert.deepEqual(compiled('large.ts', 200_000), { text: null, isTooLarge: true })
  assert.deepEqual(sourceMapOf(path.join(dir, 'none.ts')), { text: null, isTooLarge: false })
})

test('a script may be named by a URL of a file that is none', () => {
  const files = new CompiledFiles()
  for (const file of ['file://host/x.ts', 'file:///%2F.ts']) files.add(file)
  /** @type {string[]} */
  const told = []
  files.postAll((file) => told.push(file))
  assert.equal(told.length, 2)
})

test('ever new names of files do not fill the memory of the application', () => {
  const files = new CompiledFiles()
  let posts = 0
  for (let i = 0; i < 10_050; i++) {
    files.add(`/repl-${i}.ts`)
    if (i % 100 === 99) files.postAll(() => { posts++ })
  }
  files.add('/repl-10049.ts')
  files.postAll(() => { posts++ })
  assert.equal(posts, 10_050)
})
