'use strict'

// Packages of every layout that block, in a real application: the record names the one at fault, and the line that
// called it.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')

const ROOT = path.join(__dirname, '..', '..')
const HOLD_MS = 400
/** On a busy machine until half of the time was spent on a CPU: else no code might be to blame. */
const BEGIN = `const [end, from] = [Date.now() + ${HOLD_MS}, process.cpuUsage()]`
const IS_BUSY = `Date.now() < end || process.cpuUsage(from).user < ${HOLD_MS * 500}`

const PACKAGE = `exports.work = function work (each = () => {}) {
  ${BEGIN}
  while (${IS_BUSY}) each()
}`

const APP = `
const agent = require(${JSON.stringify(ROOT)}).start({ port: false, dir: 'blocks', threshold: 40 })
const { setTimeout: sleep } = require('node:timers/promises')
const { work } = require('nested')
const own = () => { ${BEGIN}; while (${IS_BUSY}); }
const calls = {
  plain () { require('plain').work() },
  scoped () { require('@scope/one').work() },
  nested () { work() },
  linked () { require('linked').work() },
  broken () { require('broken').work() },
  none () { own() },
  back () { require('plain').work(own) }
}
// On a busy machine no code may be to blame for a block, or too few samples show a package: then the call is made again.
const hasPackage = (name) => !['own', 'broken'].includes(name)
const countOf = async (name) => (await agent.blocks())
  .filter((block) => block.frame?.function === name && !block.excused && (block.package || !hasPackage(name))).length
const isBlamed = async (name, before) => {
  for (const end = Date.now() + 3000; Date.now() < end; await sleep(50)) if (await countOf(name) > before) return true
  return false
}
void async function () {
  await sleep(500)
  for (const [name, call] of Object.entries(calls)) {
    const blamed = name === 'none' || name === 'back' ? 'own' : name
    const before = await countOf(blamed)
    for (let tries = 0; tries < 10; tries++) {
      call()
      if (await isBlamed(blamed, before)) break
    }
  }
  await agent.settle()
  process.stderr.write(JSON.stringify(await agent.blocks()) + '\\n')
  await agent.stop()
}()`

/** @param {string} folder @param {string} packageJson @param {string} [code] */
function install (folder, packageJson, code = PACKAGE) {
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'package.json'), packageJson)
  fs.writeFileSync(path.join(folder, 'index.js'), code)
}

/** @param {string} dir */
function installAll (dir) {
  const modules = path.join(dir, 'node_modules')
  install(path.join(modules, 'plain'), '{ "name": "plain", "version": "1.2.3", "bugs": "https://plain.example/bugs" }')
  install(path.join(modules, '@scope', 'one'), '{ "name": "@scope/one", "version": "2.0.0", "bugs": { "url": "https://one.example" } }')
  install(path.join(modules, 'nested'), '{ "name": "nested", "version": "1.0.0" }', "exports.work = () => require('deep').work()")
  install(path.join(modules, 'nested', 'node_modules', 'deep'), '{ "name": "deep", "version": "0.0.1" }')
  install(path.join(modules, '.pnpm', 'linked@3.0.0', 'node_modules', 'linked'), '{ "name": "linked", "version": "3.0.0" }')
  fs.symlinkSync(path.join('.pnpm', 'linked@3.0.0', 'node_modules', 'linked'), path.join(modules, 'linked'), 'dir')
  // Broken only afterwards: Node.js itself refuses to load such a package.
  install(path.join(modules, 'broken'), '{ "version": "1.0.0" }')
  fs.writeFileSync(path.join(dir, 'app.js'), APP)
}

test('the package at fault is named with its version, and the application\'s line that called it', async (t) => {
  const dir = makeDir(t)
  installAll(dir)
  const { stdout, stderr } = await startNode(t, [path.join(dir, 'app.js')], { cwd: dir }).closed
  /** @type {import('../../lib/types').BlockRecord[]} */
  const records = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
  const blamed = records.filter(({ excused }) => !excused)
  /** @type {Record<string, typeof records[0]['package']>} */
  const named = {}
  for (const { frame, package: owner } of blamed) named[`${frame?.function}`] ??= owner
  assert.deepEqual(named.plain, { name: 'plain', version: '1.2.3', bugs: 'https://plain.example/bugs' }, stderr)
  assert.deepEqual(named.scoped, { name: '@scope/one', version: '2.0.0', bugs: 'https://one.example' })
  assert.deepEqual(named.nested, { name: 'deep', version: '0.0.1', bugs: null })
  assert.deepEqual(named.linked, { name: 'linked', version: '3.0.0', bugs: null })
  assert.deepEqual(named.broken, null, 'it has no name')
  assert.deepEqual(named.own, null, 'neither where the application alone, nor where a package calls it back')
  const lines = stdout.split('\n').filter((text) => text !== '').map((text) => JSON.parse(text))
  // The log of a busy machine leaves blocks out.
  const ofPackages = lines.filter((line) => line.event === 'settled' && line.package && !line.excused)
  assert.ok(ofPackages.length > 0, stdout)
  for (const { msg, frame, package: { name, version } } of ofPackages) {
    assert.match(msg, new RegExp(`(?:: | of it by )(work in )?(≈ )?${frame.function} \\(\\S*app\\.js:\\d+\\).*, in ${name}@${version} \\(`))
  }
  const listed = spawnSync(process.execPath, [path.join(ROOT, 'lib', 'cli', 'main.js'), 'blocks', path.join(dir, 'blocks')], { encoding: 'utf8' })
  assert.match(listed.stdout, /(?:: | of it by )(work in )?(≈ )?scoped \(\S*app\.js:\d+\).*, in @scope\/one@2\.0\.0 \(/)
})
