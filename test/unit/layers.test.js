'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { bin, dependencies, exports: doors } = require('../../package.json')
const entryPoints = require('../../lib/tables/entry-points')
const { filesBelow, parse } = require('../support/source-tree')

/** Every room may import these. */
const COMMON = ['types', 'tables', 'options', 'util']

/** What each room may import besides, as values and as types. */
const ALLOWED = /** @type {Record<string, string[]>} */ ({
  index: ['host'],
  register: ['host'],
  types: [],
  tables: [],
  options: [],
  util: [],
  bridge: [],
  host: ['bridge'],
  watchdog: ['bridge', 'explain', 'store', 'export', 'cluster'],
  explain: [],
  store: [],
  export: [],
  cluster: ['store'],
  cli: ['host', 'store', 'export', 'bridge', 'explain']
})

/** Who may have these built-ins; types of them are everybody's. eslint.config.js says the same. */
const BUILT_IN = /** @type {Record<string, RegExp>} */ ({
  'node:http': /^lib\/export\/(http\/|http-client\.js$)/,
  'node:inspector': /^lib\/(watchdog\/loop\/inspector|host\/sense\/profile\/profiler|cli\/profile\/cpu-thread)\.js$/,
  'node:perf_hooks': /^lib\/host\//
})

const LIMITS = { 'lines of a file': 400, 'lines of a function': 60, 'imports of ours': 15 }

const scripts = [...filesBelow('lib'), ...filesBelow('scenarios')].filter((file) => /\.m?js$/.test(file)).map(parse)
const sources = scripts.filter(({ file }) => file.startsWith('lib/'))

/** @type {Record<keyof typeof LIMITS, () => { what: string, value: number }[]>} */
const measured = {
  'lines of a file': () => scripts.map(({ file, lines }) => ({ what: file, value: lines })),
  'lines of a function': () => scripts.flatMap(({ file, functions }) =>
    functions.map(({ name, lines }) => ({ what: `${file} ${name}`.trim(), value: lines }))),
  'imports of ours': () => scripts.map(({ file, imports }) => {
    const ours = imports.filter(({ name, isType }) => !isType && name.startsWith('.'))
    return { what: file, value: new Set(ours.map(({ name }) => name)).size }
  })
}

/** @param {string} file `lib/host/agent.js` is of the room `host`, `lib/types.js` a room of its own */
const roomOf = (file) => file.split('/')[1].replace(/\.m?js$/, '')

/**
 * @param {string} file
 * @param {string} name of an import of ours
 * @returns {string} `lib/host/agent`, with or without its end
 */
const resolve = (file, name) => path.posix.join(path.posix.dirname(file), name)

test('every file of lib/ imports only from the rooms it may, values and types alike', () => {
  const wrong = sources.flatMap(({ file, imports }) => imports
    .filter(({ name }) => name.startsWith('.') && resolve(file, name).startsWith('lib/'))
    .map(({ name }) => ({ file, name, from: roomOf(file), to: roomOf(resolve(file, name)) }))
    .filter(({ from, to }) => to !== from && !COMMON.includes(to) && !ALLOWED[from]?.includes(to))
    .map(({ file, name }) => `${file} imports ${name}`))
  assert.deepEqual(wrong, [])
})

test('lib/types.js is types alone', () => {
  const types = sources.find(({ file }) => file === 'lib/types.js')
  assert.ok(types !== undefined && types.imports.every(({ isType }) => isType) && types.functions.length === 0)
})

test('http servers, inspector sessions and perf_hooks are where the design has them, however they are loaded', () => {
  const found = sources.flatMap(({ file, imports }) => imports
    .filter(({ name, isType }) => !isType && name.replace(/^(?!node:)/, 'node:') in BUILT_IN)
    .map(({ name }) => ({ file, name: name.replace(/^(?!node:)/, 'node:') })))
  assert.deepEqual(found.filter(({ file, name }) => !BUILT_IN[name].test(file)), [])
  assert.deepEqual(Object.keys(BUILT_IN).filter((name) => !found.some((each) => each.name === name)), [])
})

for (const [limit, most] of /** @type {[keyof typeof LIMITS, number][]} */ (Object.entries(LIMITS))) {
  test(`at most ${most} ${limit}`, () => {
    const beyond = measured[limit]().filter(({ value }) => value > most)
    assert.deepEqual(Object.fromEntries(beyond.map(({ what, value }) => [what, value])), {},
      'move one of its ideas to the file or folder that has others of the kind')
  })
}

test('every file of lib/ is imported, a door of the package or in the table of entry points, whose files are all there', () => {
  const reached = reachedFrom([bin.loopwatch, ...Object.values(doors).flatMap((door) => typeof door === 'string' ? [] : [door.default]), 'lib/types.js',
    ...Object.values(entryPoints.table).map((file) => `lib/${file}`)].map((file) => path.posix.normalize(file)))
  const unreached = sources.filter(({ file }) => !file.startsWith('lib/export/page/source/') && !reached.has(file))
  assert.deepEqual(unreached.map(({ file }) => file), [])
  for (const file of Object.values(entryPoints.table)) assert.ok(sources.some((source) => source.file === `lib/${file}`), file)
})

test('what lib/ requires is built in or a dependency: development has more than an installed package', () => {
  // Vitest's setup file is loaded by Vitest.
  const known = [...Object.keys(dependencies), 'vitest']
  const missing = sources.filter(({ file }) => !file.startsWith('lib/export/page/')).flatMap(({ file, imports }) => imports
    .filter(({ name, isType }) => !isType && !name.startsWith('.') && !name.startsWith('node:'))
    .filter(({ name }) => !known.some((each) => name === each || name.startsWith(`${each}/`)))
    .map(({ name }) => `${file}: ${name}`))
  assert.deepEqual(missing, [])
})

test('what runs in the application\'s threads has Node\'s own `process`, whatever the application makes of the global one', () => {
  const reached = reachedFrom(['lib/index.js', 'lib/register.js'])
  assert.ok(reached.size > 30, `${reached.size}`)
  const global = sources.filter(({ file, text }) => {
    const code = text.replace(/^\s*(\/?\*|\/\/).*$/gm, '')
    return reached.has(file) && /(?<![\w.'])process\.\w/.test(code) && !/const process = require\('(node:|[./]+(util\/)?)process'\)/.test(code)
  })
  assert.deepEqual(global.map(({ file }) => file), [])
})

/** @param {string[]} entries @returns {Set<string>} the files that are imported from there on, these included */
function reachedFrom (entries) {
  /** @type {Set<string>} */
  const reached = new Set()
  const visit = (/** @type {string} */ file) => {
    const found = sources.find((source) => [file, `${file}.js`, `${file}/index.js`].includes(source.file))
    if (found === undefined || reached.has(found.file)) return
    reached.add(found.file)
    for (const { name, isType } of found.imports) if (!isType && name.startsWith('.')) visit(resolve(found.file, name))
  }
  entries.forEach(visit)
  return reached
}
