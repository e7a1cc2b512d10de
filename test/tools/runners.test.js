'use strict'

// Takes a minute or two: two major versions of each runner, under the command and with what marks a test as failed.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { exports: doors } = require('../../package.json')
const { startNode, FIXTURES } = require('../support/app')
const { makeDir } = require('../support/files')
const { nodeOf } = require('../support/nodes')
const { installFor } = require('../support/packages')

const ROOT = path.join(__dirname, '..', '..')
const CLI = path.join(ROOT, 'lib', 'cli', 'main.js')
const HOLD = path.join(FIXTURES, 'cpu-hold.js')
/** Where the packages of each major version are. */
const VERSIONS = ['test', 'test/older-runners']

const suite = (/** @type {string} */ head) => `${head}
const hold = load(${JSON.stringify(HOLD)}).hold
describe('orders', () => {
  beforeEach(() => { if (globalThis.isHookSlow) hold(200) })
  it('are fast', () => { hold(5) })
  it('are slow', () => { hold(200); globalThis.isHookSlow = true })
  it('have a slow hook', () => { globalThis.isHookSlow = false })
  it('wait', async () => { await new Promise((resolve) => setTimeout(resolve, 100)) })
})
`
const COMMONJS = suite('const load = require')
const MODULE = suite("import { createRequire } from 'node:module'\nconst load = createRequire(import.meta.url)")
const NODE_TEST = suite("const load = require\nconst { beforeEach, describe, it } = require('node:test')")

/** @param {string} name of an entry point of the package */
const entry = (name) => path.join(ROOT, /** @type {Record<string, any>} */ (doors)[`./${name}`].default)

/** @param {string} folder @param {string} name @param {string} bin */
const binOf = (folder, name, bin) => path.join(ROOT, folder, 'node_modules', name, bin)

/** @param {string} folder @param {boolean} isNative @returns {{ files: Record<string, string>, args: string[] }} */
const mocha = (folder, isNative) => ({
  files: { 'orders.spec.js': COMMONJS },
  args: [binOf(folder, 'mocha', 'bin/mocha.js'), ...(isNative ? ['--require', entry('mocha')] : []), 'orders.spec.js']
})

/** @type {typeof mocha} */
const jest = (folder, isNative) => ({
  files: {
    'orders.spec.js': COMMONJS,
    'jest.config.json': JSON.stringify({ testMatch: ['**/*.spec.js'], ...(isNative && { testEnvironment: entry('jest') }) })
  },
  args: [binOf(folder, 'jest', 'bin/jest.js'), '--config', 'jest.config.json']
})

/** @type {typeof mocha} */
const vitest = (folder) => ({
  files: {
    'orders.spec.mjs': MODULE,
    'vitest.config.mjs': `export default {
      resolve: { alias: { vitest: ${JSON.stringify(binOf(folder, 'vitest', 'dist/index.js'))} } },
      test: { include: ['*.spec.mjs'], globals: true, pool: 'forks', setupFiles: [${JSON.stringify(entry('vitest'))}] }
    }`
  },
  args: [binOf(folder, 'vitest', 'vitest.mjs'), 'run']
})

/** @param {import('node:test').TestContext} t @param {Record<string, string>} files */
function makeSuite (t, files) {
  const cwd = fs.realpathSync(makeDir(t))
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(cwd, name), text)
  return cwd
}

/** @param {string} cwd @returns {any} */
const readJson = (cwd) => JSON.parse(fs.readFileSync(path.join(cwd, 'out.json'), 'utf8'))

for (const [name, setup] of Object.entries({ mocha, jest, vitest })) {
  for (const folder of VERSIONS) {
    test(`${name} of ${folder}: tests and hooks that block are named by file and full name`, async (t) => {
      installFor(folder)
      const { files, args } = setup(folder, false)
      const cwd = makeSuite(t, files)
      const { code, stdout, stderr } = await startNode(t, [CLI, 'test', '--json', 'out.json', '--', process.execPath, ...args], { cwd }).closed
      assert.equal(code, 1, `${stdout}\n${stderr}`)
      const [block, ...others] = readJson(cwd).blocks
      assert.deepEqual(others, [], stderr)
      const named = block.tests.map((/** @type {any} */ each) => `${each.file}: ${each.name}`).sort()
      assert.deepEqual(named, ['are slow', 'have a slow hook'].map((each) => `${Object.keys(files)[0]}: orders > ${each}`), stderr)
      assert.equal(path.basename(block.file), 'cpu-hold.js')
    })

    test(`loopwatch/${name}, ${folder}: a test that blocks fails, and only that`, async (t) => {
      installFor(folder)
      const { files, args } = setup(folder, true)
      const { code, stdout, stderr } = await startNode(t, args, { cwd: makeSuite(t, files) }).closed
      const said = `${stdout}\n${stderr}`
      assert.notEqual(code, 0, said)
      assert.match(said, /the event loop was blocked for \d+ ms \(js\), more than 50 ms: (exports\.)?hold \(.*cpu-hold\.js:\d+\)/)
      assert.match(said, name === 'mocha' ? /2 passing[^]*2 failing/ : /2 failed[^]*2 passed/)
    })
  }
}

/** The same without the setup file. @param {string} folder @param {string} pool */
function vitestAlone (folder, pool) {
  const { files, args } = vitest(folder, false)
  const config = files['vitest.config.mjs'].replace(/setupFiles: \[.*\]/, '').replace('forks', pool)
  return { files: { ...files, 'vitest.config.mjs': config }, args }
}

for (const folder of VERSIONS) {
  test(`Vitest of ${folder} without the setup file: tests that block are named as with it`, async (t) => {
    installFor(folder)
    const { files, args } = vitestAlone(folder, 'forks')
    const cwd = makeSuite(t, files)
    const { code, stdout, stderr } = await startNode(t, [CLI, 'test', '--json', 'out.json', '--', process.execPath, ...args], { cwd }).closed
    assert.equal(code, 1, `${stdout}\n${stderr}`)
    const tests = readJson(cwd).blocks.flatMap((/** @type {any} */ block) => block.tests)
    const names = tests.map((/** @type {any} */ { name }) => name).sort()
    assert.deepEqual(names, ['orders > are slow', 'orders > have a slow hook'], stderr)
  })

  for (const pool of ['threads', 'vmForks']) {
    test(`Vitest of ${folder} with the pool ${pool}: what is not watched is not green, and what blocks is red`, async (t) => {
      installFor(folder)
      const { files, args } = vitestAlone(folder, pool)
      const { code, stdout, stderr } = await startNode(t, [CLI, 'test', '--', process.execPath, ...args], { cwd: makeSuite(t, files) }).closed
      // Vitest 3 leaves the meter in place there.
      if (pool === 'threads' || folder === 'test') {
        assert.match(stdout, /4 passed/)
        assert.equal(code, 3, `${stdout}\n${stderr}`)
        assert.match(stderr, /^\nloopwatch: nothing was watched: /)
      } else {
        assert.match(stdout, /2 failed.*2 passed/)
        assert.equal(code, 1, stderr)
      }
    })
  }
}

const AVA = `
import test from '${binOf('test', 'ava', 'entrypoints/main.mjs')}'
import { createRequire } from 'node:module'
const { hold } = createRequire(import.meta.url)(${JSON.stringify(HOLD)})
test('is fast', (t) => { hold(5); t.pass() })
test('is slow', (t) => { hold(200); t.pass() })
test('waits', async (t) => { await new Promise((resolve) => setTimeout(resolve, 100)); t.pass() })
`

test('AVA with processes: files that block are named; with worker threads nothing is watched, which is not green', async (t) => {
  installFor('test')
  const cwd = makeSuite(t, { 'orders.test.mjs': AVA, 'package.json': '{ "type": "module" }' })
  const ava = [process.execPath, binOf('test', 'ava', 'entrypoints/cli.mjs'), 'orders.test.mjs']
  const forked = await startNode(t, [CLI, 'test', '--json', 'out.json', '--', ...ava, '--no-worker-threads'], { cwd }).closed
  assert.match(forked.stdout, /3 tests passed/)
  assert.equal(forked.code, 1, `${forked.stdout} ${forked.stderr}`)
  const tests = readJson(cwd).blocks.flatMap((/** @type {any} */ block) => block.tests)
  assert.deepEqual(tests, [{ file: 'orders.test.mjs', name: null, others: 0 }], forked.stderr)
  const threads = await startNode(t, [CLI, 'test', '--', ...ava], { cwd }).closed
  assert.match(threads.stdout, /3 tests passed/)
  assert.equal(threads.code, 3, threads.stderr)
  assert.match(threads.stderr, /^\nloopwatch: nothing was watched: tests ran where blocks cannot be detected/)
})

const TAP = `
const t = require('tap')
const { hold } = require(${JSON.stringify(HOLD)})
t.test('is fast', (t) => { hold(5); t.end() })
t.test('orders', (t) => {
  t.test('are slow', async (t) => { hold(200) })
  t.test('wait', async (t) => { await new Promise((resolve) => setTimeout(resolve, 100)) })
  t.end()
})
`

test('tap: a block has file and full name of its test', async (t) => {
  installFor('test/older-runners')
  const cwd = makeSuite(t, { 'orders.test.js': TAP, 'package.json': '{}' })
  // Its command looks for it from the folder of the project.
  fs.symlinkSync(path.join(ROOT, 'test', 'older-runners', 'node_modules'), path.join(cwd, 'node_modules'), 'junction')
  const tap = [process.execPath, binOf('test/older-runners', 'tap', 'dist/esm/run.mjs'), '--disable-coverage', '--allow-empty-coverage', 'orders.test.js']
  const { code, stdout, stderr } = await startNode(t, [CLI, 'test', '--json', 'out.json', '--', ...tap], { cwd }).closed
  assert.match(stdout, /# \{ total: 2, pass: 2 \}|ok 1 - orders\.test\.js/)
  assert.equal(code, 1, `${stdout} ${stderr}`)
  const tests = readJson(cwd).blocks.flatMap((/** @type {any} */ block) => block.tests)
  assert.deepEqual(tests, [{ file: 'orders.test.js', name: 'orders > are slow', others: 0 }], stderr)
})

for (const version of [20, 24]) {
  const node = nodeOf(version)
  test(`loopwatch/node-test on Node.js ${version}: a test that blocks fails, and only that`, { skip: node === null }, async (t) => {
    const cwd = makeSuite(t, { 'orders.test.js': NODE_TEST })
    const args = ['--require', entry('node-test'), '--test', '--test-reporter=tap', 'orders.test.js']
    const { code, stdout } = await startNode(t, args, { cwd, node: node ?? '' }).closed
    assert.equal(code, 1, stdout)
    const lines = stdout.matchAll(/^ {4}((?:not )?ok) \d+ - (.*)$/gm)
    const results = Array.from(lines, ([, result, name]) => `${result} ${name}`)
    assert.deepEqual(results, ['ok are fast', 'not ok are slow', 'not ok have a slow hook', 'ok wait'])
    assert.match(stdout, /the event loop was blocked for \d+ ms \(js\), more than 50 ms: (exports\.)?hold /)
  })

  test(`node --test on Node.js ${version}: hooks that block have the name of their test`, { skip: node === null }, async (t) => {
    const cwd = makeSuite(t, { 'orders.test.js': NODE_TEST })
    const command = [node ?? '', '--test', 'orders.test.js']
    const { code, stderr } = await startNode(t, [CLI, 'test', '--json', 'out.json', '--', ...command], { cwd }).closed
    assert.equal(code, 1, stderr)
    const tests = readJson(cwd).blocks.flatMap((/** @type {any} */ block) => block.tests)
    const names = tests.map((/** @type {any} */ { name }) => name).sort()
    assert.deepEqual(names, ['orders > are slow', 'orders > have a slow hook'], stderr)
  })
}

test('what marks tests as failed leaves the verdict to the command, and takes known blocks from the list', async (t) => {
  const known = { allow: [{ function: 'hold', reason: 'on purpose' }] }
  const { files, args } = mocha('test', true)
  const cwd = makeSuite(t, { ...files, 'loopwatch.json': JSON.stringify(known) })
  const alone = await startNode(t, args, { cwd }).closed
  assert.equal(alone.code, 0, alone.stdout)
  fs.rmSync(path.join(cwd, 'loopwatch.json'))
  const { code, stdout, stderr } = await startNode(t, [CLI, 'test', '--', process.execPath, ...args], { cwd }).closed
  assert.match(stdout, /4 passing/)
  assert.equal(code, 1, stderr)
})
