'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')

const LIB = path.join(__dirname, '..', '..', 'lib')

/** Who may import whom; every room may import its own files and the tables at the root of lib/. */
const allowed = {
  host: ['bridge'],
  watchdog: ['bridge', 'explain', 'store', 'export', 'cluster'],
  bridge: [],
  explain: [],
  store: [],
  export: [],
  cluster: [],
  tools: ['explain'],
  cli: ['host', 'store', 'export', 'tools']
}

/** @param {string} file relative to lib/ */
const roomOf = (file) => file.includes(path.sep) ? file.split(path.sep)[0] : null

const files = fs.readdirSync(LIB, { recursive: true }).map(String).filter((file) => /\.m?js$/.test(file) && !file.includes('built'))

test('every file of lib/ imports only from the rooms it may', () => {
  for (const file of files) {
    const room = roomOf(file)
    const source = fs.readFileSync(path.join(LIB, file), 'utf8').replace(/^\s*(\*|\/\/).*$/gm, '')
    for (const [, target] of source.matchAll(/(?:require\(|import |from )'(\.[^']+)'/g)) {
      const resolved = path.relative(LIB, path.resolve(LIB, path.dirname(file), target))
      const to = roomOf(resolved)
      if (to === null || to === '..' || to === room) continue
      const may = room === null ? ['host'] : allowed[/** @type {keyof typeof allowed} */ (room)]
      assert.ok(may?.includes(to), `${file} imports ${resolved}`)
    }
  }
})

test('no file is longer than 400 lines', () => {
  for (const file of files) {
    const { length } = fs.readFileSync(path.join(LIB, file), 'utf8').split('\n')
    assert.ok(length <= 400, `${file} has ${length}`)
  }
})

test('what lib/ requires is built in or a dependency: development has more than an installed package', () => {
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(LIB, '..', 'package.json'), 'utf8'))
  const known = Object.keys(dependencies)
  const missing = fs.readdirSync(LIB, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js') && !file.startsWith(path.join('export', 'page')))
    .flatMap((file) => [...fs.readFileSync(path.join(LIB, file), 'utf8').matchAll(/\brequire\('([^'.][^']*)'\)/g)].map(([, name]) => ({ file, name })))
    .filter(({ name }) => !name.startsWith('node:') && !known.some((each) => name === each || name.startsWith(`${each}/`)))
  assert.deepEqual(missing, [])
})

test('what runs in the application\'s threads has Node\'s own `process`, whatever the application makes of the global one', () => {
  /** @type {Map<string, string>} */
  const sources = new Map()
  const visit = (/** @type {string} */ file) => {
    if (sources.has(file)) return
    const source = fs.readFileSync(file, 'utf8').replace(/^\s*(\/?\*|\/\/).*$/gm, '')
    sources.set(file, source)
    for (const [, target] of source.matchAll(/require\('(\.[^']+)'\)/g)) visit(require.resolve(path.resolve(path.dirname(file), target)))
  }
  for (const entry of ['index.js', 'register.js', 'host/thread-agent.js']) visit(path.join(LIB, entry))
  assert.ok(sources.size > 30, `${sources.size}`)
  const global = [...sources].filter(([, source]) => /(?<![\w.'])process\.\w/.test(source) && !source.includes("const process = require('node:process')"))
  assert.deepEqual(global.map(([file]) => file), [])
})
