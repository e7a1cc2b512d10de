'use strict'

// Takes some minutes: what a test can block with, under each runner, on each version of Node.js.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { startNode, FIXTURES } = require('../support/app')
const { makeDir } = require('../support/files')
const { nodeOf, VERSIONS } = require('../support/nodes')
const { installFor } = require('../support/packages')

const ROOT = path.join(__dirname, '..', '..')
const CLI = path.join(ROOT, 'lib', 'cli', 'main.js')
const LIMIT_MS = 60

/** All take far more than the limit, on a fast machine too. `prepare` runs at the top level, which is startup. */
const SUITE = `
const crypto = load('node:crypto')
const { hold } = load(${JSON.stringify(path.join(FIXTURES, 'cpu-hold.js'))})
const text = JSON.stringify(Array.from({ length: 4e5 }, (_, i) => ({ i, name: 'x' + i })))
const blocks = {
  pbkdf2Sync: () => crypto.pbkdf2Sync('secret', 'salt', 4e5, 64, 'sha512'),
  scryptSync: () => crypto.scryptSync('secret', 'salt', 64, { N: 65536, r: 8, maxmem: 1e9 }),
  parse: () => JSON.parse(text),
  hold: () => hold(150)
}
const wait = () => new Promise((resolve) => setTimeout(resolve, 20))
const after = () => { for (let i = 0; i < 1e6; i++) Math.sqrt(i) }
for (const [name, block] of Object.entries(blocks)) {
  it(name + ' sync, last', () => { block() })
  it(name + ' sync, first', () => { block(); after() })
  it(name + ' async, last', async () => { await wait(); block() })
  it(name + ' async, first', async () => { await wait(); block(); after() })
}
it('none', async () => { await wait() })
`
const NAMES = ['pbkdf2Sync', 'scryptSync', 'parse', 'hold'].flatMap((name) =>
  ['async, first', 'async, last', 'sync, first', 'sync, last'].map((how) => `${name} ${how}`)).sort()

/** A busy machine may hide one block of sixteen. */
const TRIES = 3

const NODE_TEST = `const load = require\nconst { it } = require('node:test')\n${SUITE}`
const MODULE = `import { createRequire } from 'node:module'\nconst load = createRequire(import.meta.url)\n${SUITE}`

/** @param {string} name @param {string} bin */
const binOf = (name, bin) => path.join(ROOT, 'test', 'node_modules', name, bin)

/** @type {Record<string, { file: string, text: string, args: string[], config?: Record<string, string> }>} */
const RUNNERS = {
  'node --test': { file: 'a.test.js', text: NODE_TEST, args: ['--test', 'a.test.js'] },
  node: { file: 'a.test.js', text: NODE_TEST, args: ['a.test.js'] },
  'node, ES module': { file: 'a.test.mjs', text: `import { it } from 'node:test'\n${MODULE.replaceAll(/^( *)it\(/gm, '$1await it(')}`, args: ['a.test.mjs'] },
  Mocha: { file: 'a.spec.js', text: `const load = require\n${SUITE}`, args: [binOf('mocha', 'bin/mocha.js'), '--timeout', '0', 'a.spec.js'] },
  Jest: {
    file: 'a.spec.js',
    text: `const load = require\n${SUITE}`,
    args: [binOf('jest', 'bin/jest.js'), '--config', 'jest.config.json'],
    config: { 'jest.config.json': '{ "testMatch": ["**/*.spec.js"], "testTimeout": 60000 }' }
  },
  Vitest: {
    file: 'a.spec.mjs',
    text: MODULE,
    args: [binOf('vitest', 'vitest.mjs'), 'run'],
    config: { 'vitest.config.mjs': "export default { test: { include: ['*.spec.mjs'], globals: true, pool: 'forks', testTimeout: 60000 } }" }
  }
}

/** @param {import('node:test').TestContext} t @param {Record<string, string>} files */
function makeSuite (t, files) {
  const cwd = fs.realpathSync(makeDir(t))
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(cwd, name), text)
  return cwd
}

for (const version of VERSIONS) {
  const node = nodeOf(version)
  for (const [name, { file, text, args, config }] of Object.entries(RUNNERS)) {
    test(`${name} on Node.js ${version}: each test that blocks is named, whatever it blocks with`, { skip: node === null }, async (t) => {
      installFor('test')
      const cwd = makeSuite(t, { [file]: text, ...config })
      const command = [CLI, 'test', '--over', `${LIMIT_MS}ms`, '--json', 'out.json', '--', node ?? '', ...args]
      const run = async () => {
        const { code, stdout, stderr } = await startNode(t, command, { cwd, node: node ?? '' }).closed
        assert.equal(code, 1, `${stdout}\n${stderr}`)
        const { blocks } = JSON.parse(fs.readFileSync(path.join(cwd, 'out.json'), 'utf8'))
        const named = blocks.flatMap((/** @type {any} */ { tests }) => tests.map((/** @type {any} */ { name }) => name))
        return { names: [...new Set(named)].sort(), stderr }
      }
      let { names, stderr } = await run()
      for (let i = 1; i < TRIES && names.length < NAMES.length; i++) ({ names, stderr } = await run())
      assert.deepEqual(names, NAMES, stderr)
    })
  }

  test(`loopwatch/node-test on Node.js ${version}: each test that blocks fails, whatever it blocks with`, { skip: node === null }, async (t) => {
    const cwd = makeSuite(t, { 'a.test.js': NODE_TEST })
    const args = ['--require', path.join(ROOT, 'lib', 'cli', 'test', 'reporters', 'node-test.js'), '--test', '--test-reporter=tap', 'a.test.js']
    const { stdout } = await startNode(t, args, { cwd, node: node ?? '', env: { LOOPWATCH_THRESHOLD: `${LIMIT_MS}` } }).closed
    const failed = Array.from(stdout.matchAll(/^ *not ok \d+ - (.*, (?:first|last))$/gm), ([, name]) => name)
    assert.deepEqual(failed.sort(), NAMES, stdout)
    assert.match(stdout, /^ *ok \d+ - none$/m)
  })
}
