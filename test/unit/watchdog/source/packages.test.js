'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { packageIn } = require('../../../../lib/watchdog/source/source-reader')
const { makeDir } = require('../../../support/files')

/**
 * A package's folder with this in its package.json.
 * @param {import('node:test').TestContext} t
 * @param {unknown} content
 */
function makePackage (t, content) {
  const dir = makeDir(t)
  fs.writeFileSync(path.join(dir, 'package.json'), typeof content === 'string' ? content : JSON.stringify(content))
  return dir
}

test('a package says its name, its version, and where bugs are reported', (t) => {
  const moment = { name: 'moment', version: '2.29.1', main: 'moment.js' }
  const issues = 'https://github.com/moment/moment/issues'
  const told = { name: 'moment', version: '2.29.1', bugs: null }
  assert.deepEqual(packageIn(makePackage(t, moment)), told)
  assert.deepEqual(packageIn(makePackage(t, { ...moment, bugs: issues })), { ...told, bugs: issues })
  assert.deepEqual(packageIn(makePackage(t, { ...moment, bugs: { url: issues, email: 'a@b.c' } })), { ...told, bugs: issues })
  assert.deepEqual(packageIn(makePackage(t, { ...moment, bugs: { email: 'a@b.c' } })), told)
  assert.deepEqual(packageIn(makePackage(t, { ...moment, bugs: null, repository: 'x' })), told, 'derived from nothing else')
  assert.deepEqual(packageIn(makePackage(t, { name: '@s/x' })), { name: '@s/x', version: null, bugs: null })
  assert.deepEqual(packageIn(makePackage(t, `\uFEFF${JSON.stringify(moment)}`)), told)
})

test('a package.json that is missing, broken, huge or no file at all names nothing, and throws nothing', (t) => {
  const folder = makeDir(t)
  fs.mkdirSync(path.join(folder, 'package.json'))
  assert.equal(packageIn(folder), null, 'a folder')
  assert.equal(packageIn(makeDir(t)), null, 'missing')
  assert.equal(packageIn('/srv/.yarn/cache/x.zip/node_modules/x'), null)
  for (const content of ['', '{', 'null', '[]', '7', '"x"', '{}', '{"name":""}', '{"name":7}', `{"name":"${'x'.repeat(215)}"}`]) {
    assert.equal(packageIn(makePackage(t, content)), null, content)
  }
  assert.equal(packageIn(makePackage(t, { name: 'x', readme: 'y'.repeat(300000) })), null, 'too large to be read')
  assert.deepEqual(packageIn(makePackage(t, { name: 'x', version: 7, bugs: `https://${'y'.repeat(3000)}` })), { name: 'x', version: null, bugs: null })
})

test('it is read once, through links, and a path that is not absolute never', (t) => {
  const folder = makePackage(t, { name: 'x', version: '1.0.0' })
  const link = path.join(makeDir(t), 'x')
  fs.symlinkSync(folder, link, 'dir')
  const found = packageIn(folder)
  assert.deepEqual(packageIn(link), found)
  fs.writeFileSync(path.join(folder, 'package.json'), '{"name":"x","version":"2.0.0"}')
  assert.equal(packageIn(folder), found, 'the code in memory is that of before')
  assert.equal(packageIn('.'), null)
  assert.equal(packageIn('webpack:///./node_modules/x'), null)
})

test('a package.json is not read before the first line of a block', (t) => {
  const folder = makePackage(t, { name: 'x', version: '1.0.0' })
  assert.equal(packageIn(folder, false), null)
  const record = packageIn(folder)
  assert.deepEqual([record?.name, packageIn(folder, false)], ['x', record])
})

test('however many packages there are, few are kept', (t) => {
  const folder = makePackage(t, { name: 'x', version: '1.0.0' })
  const first = packageIn(folder)
  for (let i = 0; i < 250; i++) packageIn(`/nowhere/${i}`)
  assert.notEqual(packageIn(folder), first)
  assert.deepEqual(packageIn(folder), first)
})
