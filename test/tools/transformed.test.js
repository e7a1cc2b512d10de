'use strict'

// What a runner compiles in memory has the lines and functions of its files: two major versions of each.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { exports: doors } = require('../../package.json')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')
const { installFor } = require('../support/packages')

const ROOT = path.join(__dirname, '..', '..')
const CLI = path.join(ROOT, 'lib', 'cli', 'main.js')
const VERSIONS = ['test', 'test/older-runners']

/** Each export is a line more in Vite's code. Line 7 of the file is another function's there. */
const SLUG = `export const hash = (x) => x * 31
export function other () { return 1 }
// The culprit is the next one.
export const dedupe = (ms) => { const end = performance.now() + ms; let n = 0; while (performance.now() < end) n += hash(n); return n }



export const last = () => 2
`
const SLUG_LINE = 4
/** Its types are gone from what runs, and the function has no name of its own. */
const ROWS = `interface Row {
  id: number
}

type Rows = Row[]

export const total = (rows: Rows): number =>
  rows.map((row: Row): number => {
    const end: number = performance.now() + 600; let n = 0; while (performance.now() < end) n += row.id
    return n
  }).length
`
const ROWS_LINE = 9

const SPEC = `import { dedupe } from './slug.js'
import { total } from './rows.ts'
describe('orders', () => {
  it('are deduped', () => { dedupe(600) })
  it('are counted', () => { total([{ id: 1 }]) })
})
`

/** As ts-jest and babel-jest do, whatever the file is called. */
const TRANSFORMER = `const ts = require(${JSON.stringify(require.resolve('typescript'))})
exports.process = (text, file) => {
  const { outputText: code, sourceMapText: map } = ts.transpileModule(text, {
    fileName: file.replace(/js$/, 'ts'), compilerOptions: { module: 'commonjs', target: 'es2022', sourceMap: true }
  })
  return { code: code.replace(/\\/\\/# sourceMappingURL.*/, ''), map: { ...JSON.parse(map), sources: [file] } }
}
`

/** @param {string} name of an entry point of the package */
const entry = (name) => path.join(ROOT, /** @type {Record<string, any>} */ (doors)[`./${name}`].default)

/** @param {string} folder @param {string} name @param {string} bin */
const binOf = (folder, name, bin) => path.join(ROOT, folder, 'node_modules', name, bin)

/** @param {string} folder @param {string[]} setupFiles */
const vitestFiles = (folder, setupFiles) => ({
  'vitest.config.mjs': `export default {
    resolve: { alias: { vitest: ${JSON.stringify(binOf(folder, 'vitest', 'dist/index.js'))} } },
    test: { include: ['*.spec.js'], globals: true, pool: 'forks', setupFiles: ${JSON.stringify(setupFiles)} }
  }`
})

/** @type {Record<string, (folder: string) => { files: Record<string, string>, args: string[] }>} */
const runners = {
  vitest: (folder) => ({
    files: vitestFiles(folder, [entry('vitest')]), args: [binOf(folder, 'vitest', 'vitest.mjs'), 'run']
  }),
  jest: (folder) => ({
    files: {
      'transformer.cjs': TRANSFORMER,
      'jest.config.json': JSON.stringify({ testMatch: ['**/*.spec.js'], transform: { '\\.[jt]s$': './transformer.cjs' } })
    },
    args: [binOf(folder, 'jest', 'bin/jest.js'), '--config', 'jest.config.json']
  })
}

/** @param {import('node:test').TestContext} t @param {Record<string, string>} files */
function makeSuite (t, files) {
  const cwd = fs.realpathSync(makeDir(t))
  const all = { 'package.json': '{ "type": "module" }', 'slug.js': SLUG, 'rows.ts': ROWS, 'orders.spec.js': SPEC, ...files }
  for (const [name, text] of Object.entries(all)) fs.writeFileSync(path.join(cwd, name), text)
  return cwd
}

/** @param {string} cwd @param {string} file @returns {any} */
const readJson = (cwd, file) => JSON.parse(fs.readFileSync(path.join(cwd, file), 'utf8'))

/** @param {{ file: string, line?: number, function: string }[]} places */
const told = (places) => places.map(({ file, line, function: name }) => `${file}:${line ?? ''} ${name}`).sort()

for (const [name, setup] of Object.entries(runners)) {
  for (const folder of VERSIONS) {
    test(`${name} of ${folder}: lines and functions are those of the files, in what --update writes too`, async (t) => {
      installFor(folder)
      const { files, args } = setup(folder)
      const cwd = makeSuite(t, files)
      const command = [CLI, 'test', '--update', '--json', 'out.json', '--', process.execPath, ...args]
      const { code, stdout, stderr } = await startNode(t, command, { cwd }).closed
      assert.equal(code, 0, `${stdout}\n${stderr}`)
      const { blocks } = readJson(cwd, 'out.json')
      assert.deepEqual(told(blocks), [`rows.ts:${ROWS_LINE} callback of rows.map`, `slug.js:${SLUG_LINE} dedupe`], stderr)
      assert.deepEqual(told(readJson(cwd, 'loopwatch.json').blocks), ['rows.ts: callback of rows.map', 'slug.js: dedupe'])
    })
  }
}
