'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const fc = require('fast-check')
const semver = require('semver')
const { fixIn, packageIssueIn } = require('../../../../lib/explain/advice/package-issues')

/** @typedef {import('../../../../lib/explain/advice/package-issues').Row} Row */

const rows = /** @type {Row[]} */ (require('../../../../lib/explain/advice/known.json'))

const CASES = path.join(__dirname, '..', '..', '..', '..', 'scenarios', 'known', 'cases')
const APP = '/srv/app/server.js'
const FILE = '/srv/app/node_modules/linkify-it/build/index.cjs.js'

const version = fc.tuple(...[12, 40, 40].map((max) => fc.nat(max))).map((parts) => parts.join('.'))

test('a range affects the versions that it affects for npm', () => {
  for (const { range } of rows) {
    const ends = range.match(/\d+\.\d+\.\d+/g) ?? []
    const next = ends.flatMap((end) => [semver.inc(end, 'major'), semver.inc(end, 'minor'), semver.inc(end, 'patch')])
    for (const each of [...ends, ...next].map(String)) {
      assert.equal(fixIn(each, range) !== undefined, semver.satisfies(each, range), `${each} ${range}`)
    }
    const isSame = (/** @type {string} */ each) => (fixIn(each, range) !== undefined) === semver.satisfies(each, range)
    fc.assert(fc.property(version, isSame), { numRuns: 200 })
  }
})

test('a prerelease or an incomplete version is in no range', () => {
  for (const each of ['5.0.0-beta.1', '5.0', 'v5.0.0', '', 'latest']) assert.equal(fixIn(each, '>=0.0.0 <9.0.0'), undefined, each)
})

test('the version that mends it is the next one, not that of another major version', () => {
  const range = '>=3.0.0 <3.15.0 || >=4.0.0 <4.3.0'
  const fixes = ['2.9.9', '3.14.2', '3.15.0', '4.2.0', '4.3.0'].map((each) => fixIn(each, range))
  assert.deepEqual(fixes, [undefined, '3.15.0', undefined, '4.3.0', undefined])
  assert.equal(fixIn('99.0.0', '>=4.0.0'), '')
})

test('each row has what its reader needs, a link, and either a fixed version or a cure', () => {
  for (const row of rows) {
    const { text, link, cure, range, checked } = row
    assert.match(text, /^\S.*\.$/, text)
    assert.equal(new URL(link).protocol, 'https:')
    assert.ok(checked === true || `${checked}`.length > 10, `${row.package} ${row.id}: nobody has checked it`)
    const shape = cure ? /^>=\d+\.\d+\.\d+$/ : /^>=\d+\.\d+\.\d+ <\d+\.\d+\.\d+$/
    for (const part of range.split(' || ')) assert.match(part, shape, row.id)
  }
  const keys = rows.map((row) => `${row.package} ${row.id}`)
  assert.equal(new Set(keys).size, keys.length)
})

test('each row that a program has checked has that program, with versions on both sides of a fix', () => {
  const cases = fs.readdirSync(CASES).flatMap((file) => require(path.join(CASES, file)).cases)
  for (const row of rows.filter(({ checked }) => checked === true)) {
    const found = cases.find((each) => each.package === row.package && each.id === row.id)
    assert.ok(found, `${row.package} ${row.id}`)
    for (const [affected, fixed] of found.pairs) {
      assert.equal(fixIn(affected, row.range), row.cure ? '' : fixed, `${row.package}@${affected}`)
    }
  }
})

/** @param {string} name @param {string} [file] */
const frame = (name, file = FILE) => ({ function: name, file, line: 1, column: 1 })

/**
 * @param {{ weightMs: number, frames: ReturnType<typeof frame>[] }[]} stacks
 * @param {string | null} [installed] version
 */
const issueOf = (stacks, installed = '5.0.1') =>
  packageIssueIn([{ stacks, total: 100 }], () => ({ name: 'linkify-it', version: installed, bugs: null }))

const slow = [frame('LinkifyIt.testSchemaAt'), frame('LinkifyIt.match'), frame('handle', APP)]

test('an affected version is named if its function ran for half of the time', () => {
  const { id, fixed, version: installed } = issueOf([{ weightMs: 50, frames: slow }]) ?? assert.fail()
  assert.deepEqual([id, fixed, installed], ['CVE-2026-59887', '5.0.2', '5.0.1'])
  assert.equal(issueOf([{ weightMs: 49, frames: slow }]), null, 'less than half')
  assert.equal(issueOf([{ weightMs: 100, frames: slow.slice(1) }]), null, 'another function')
  assert.equal(issueOf([{ weightMs: 100, frames: slow }], '5.0.2'), null, 'the fixed version')
  assert.equal(issueOf([{ weightMs: 100, frames: slow }], null), null, 'no version')
})

test('a package that called back the application is not the reason', () => {
  assert.equal(issueOf([{ weightMs: 100, frames: [frame('handler', APP), ...slow] }]), null)
})

test('a process in which no package has blocked does not load the table', () => {
  const explain = path.join(__dirname, '..', '..', '..', '..', 'lib', 'explain', 'record.js')
  const code = `require(${JSON.stringify(explain)}); console.log(Object.keys(require.cache).join())`
  const { stdout } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' })
  assert.match(stdout, /package-issues\.js/)
  assert.doesNotMatch(stdout, /known\.json/)
})
