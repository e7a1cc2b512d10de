'use strict'

// What the product says of documents, and what documents say of the product.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const acorn = require('acorn')
const { readText } = require('../../lib/export/page/assets')
const { makePaths } = require('../../lib/export/http/paths')
const { table: options } = require('../../lib/options/table')
const { faultOf, helpOf, namedIn } = require('../support/docs/commands')
const { forUsers } = require('../support/docs/for-users')
const { documents, read, ROOT, tables } = require('../support/docs/markdown')
const { packedFiles } = require('../release/package-links')

const BUILT_PAGES = ['page.js', 'causes.html', 'runbook.html']
/** With the anchor of a link. */
const DOCUMENT = /(?<![\w./-])(?:\.\.\/)*((?:docs|examples|grafana|scenarios|test|action)\/[\w./-]+\.md|[A-Z]{4,}\.md)\b(?:#[\w-]+)?/g
/** How far from its name it is said where a document is. */
const NEAR = { before: 40, after: 40 }
const packed = packedFiles(ROOT)

/** @param {string} file @param {string} source @returns {string[]} the strings of a script */
function stringsIn (file, source) {
  const sourceType = file.endsWith('.mjs') ? 'module' : 'script'
  /** @type {any[]} */
  const tokens = []
  acorn.parse(source, { ecmaVersion: 'latest', sourceType, allowReturnOutsideFunction: true, onToken: tokens })
  return tokens.flatMap(({ type, value }) => ['string', 'template'].includes(type.label) ? [`${value}`] : [])
}

/** What people read of the product, by where it is. @returns {[file: string, text: string][]} */
function textsOfProduct () {
  const scripts = packed.filter((file) => /^lib\/.+\.m?js$/.test(file))
  const data = packed.filter((file) => /^grafana\/.+\.(json|yml)$/.test(file))
  return [
    ...scripts.map((file) => /** @type {[string, string]} */ ([file, stringsIn(file, read(file)).join('\n')])),
    ...data.map((file) => /** @type {[string, string]} */ ([file, read(file)])),
    ...BUILT_PAGES.map((file) => /** @type {[string, string]} */ ([file, readText(file)]))
  ]
}

test('a document that the product names is in the package, or its text says that it is in the repository', () => {
  const texts = textsOfProduct()
  const faults = texts.flatMap(([file, text]) => [...text.matchAll(DOCUMENT)].flatMap((match) => {
    const [all, document] = match
    if (!fs.existsSync(path.join(ROOT, document))) return [`${file}: there is no ${document}`]
    const end = match.index + all.length
    const around = `${text.slice(match.index - NEAR.before, match.index)} ${text.slice(end, end + NEAR.after)}`
    return packed.includes(document) || /repository|https:/.test(around) ? [] : [`${file}: ${document} is not in the package`]
  }))
  assert.ok(texts.length > 100, `${texts.length} texts`)
  assert.deepEqual([...new Set(faults)], [])
})

test('a command of loopwatch that a sentence names exists, with its flags', () => {
  const texts = [...documents(), 'llms.txt'].map((file) => /** @type {[string, string]} */ ([file, read(file)]))
  const named = [...texts, ...textsOfProduct()]
    .flatMap(([file, text]) => namedIn(text).map((command) => ({ file, fault: faultOf(command) })))
  assert.ok(named.length > 50, `${named.length} commands`)
  assert.deepEqual(named.filter(({ fault }) => fault !== null).map(({ file, fault }) => `${file}: ${fault}`), [])
})

/** The pages of commands, by command, as docs/tools/README.md lists them. */
const pages = new Map(read('docs/tools/README.md').split('\n').flatMap((line) => {
  const [, names, target] = /^\| \[([^\]]+)\]\(([^)#]*)(?:#[\w-]+)?\) \|/.exec(line) ?? []
  const page = path.join('docs', 'tools', target || 'README.md')
  return names === undefined ? [] : names.split(', ').map((name) => /** @type {[string, string]} */ ([name.replace(/`/g, ''), page]))
}))
pages.set('demo', path.join('scenarios', 'demo', 'README.md'))
/** The flags of `run` are the options. Each scenario has a page of its own. */
const DESCRIBED_ELSEWHERE = ['run', 'scenario', 'help']

test('the page of a command has the flags of its help, with their defaults', () => {
  assert.deepEqual(helpOf('').commands.filter((name) => !pages.has(name) && ![...DESCRIBED_ELSEWHERE, 'docs'].includes(name)), [], 'docs/tools/README.md')
  for (const [command, page] of pages) {
    if (DESCRIBED_ELSEWHERE.includes(command)) continue
    const { flags } = helpOf(command)
    const text = read(page)
    const isMissing = (/** @type {string} */ flag) => flag !== '--help' && !new RegExp(`${flag}(?![\\w-])`).test(text)
    assert.deepEqual([...flags.keys()].filter(isMissing), [], `${page}: flags of ${command}`)
    const others = [...pages].filter(([, each]) => each === page).map(([name]) => helpOf(name))
    for (const [, flag, value, rest] of text.matchAll(/^\| `(--[\w-]+)([^`]*)` \|(.*)$/gm)) {
      assert.ok(others.some((help) => help.flags.has(flag)), `${page}: ${flag}${value}`)
      const [, said] = /\(default `([^`]+)`/.exec(rest) ?? []
      const known = others.flatMap((help) => help.defaults.get(flag) ?? [])
      if (said !== undefined && known.length > 0) assert.ok(known.includes(said), `${page}: ${flag} is ${known}, not ${said}`)
    }
  }
})

test('the help and the documents have the same exit codes', () => {
  const codesIn = (/** @type {string} */ text) => new Set([...text.matchAll(/(?<![\w.])(\d{1,3})(?![\w.]*\d)/g)].map(([, code]) => code))
  const [, ofHelp] = /^Exit codes: ([^]*?)\n\n/m.exec(`${helpOf('').text}\n\n`) ?? []
  const rows = tables('docs/tools/README.md', 'Exit codes')[0]
  const ofDocument = codesIn(rows.map(([code]) => code.replace(/plus.*/, '')).join('\n').replace('128', ''))
  assert.deepEqual([...codesIn(`${ofHelp}`)].sort(), [...ofDocument].sort(), ofHelp)
  const [, ofCtrlC = ''] = rows.find(([code]) => code === '130') ?? []
  for (const [, command] of ofCtrlC.matchAll(/`([a-z]+)`/g)) assert.match(`${ofHelp}`, new RegExp(`130[^.]*\\b${command}\\b`), 'the help says which commands end with 130')
  const [, ofTest] = /^Exits with ([^]*?)\n\n/m.exec(`${helpOf('test').text}\n\n`) ?? []
  const ofPage = codesIn(tables('docs/tools/test.md', 'Exit codes')[0].map(([code]) => code).join('\n').replace('128', ''))
  assert.deepEqual([...codesIn(`${ofTest}`)].filter((code) => code !== '0' && !ofPage.has(code) && !ofDocument.has(code)), [])
  for (const code of ofPage) assert.ok(ofDocument.has(code), `docs/tools/README.md has no ${code}`)
})

test('the help and the documents name every path that needs no token', () => {
  const paths = Object.entries(makePaths(/** @type {any} */ ({}))).filter(([, { isOpen }]) => isOpen?.('text/html')).map(([name]) => name)
  assert.ok(paths.includes('/healthz') && paths.length > 4, `${paths}`)
  const ofPage = ['/', '/page.js', '/page.css']
  const help = options.find(({ key }) => key === 'token')?.doc ?? ''
  assert.deepEqual(paths.filter((name) => !help.includes(ofPage.includes(name) ? 'page' : name)), [], `--help of run: ${help}`)
  const [, said = ''] = /^- \*\*Token\*\*: ([^]*?)\n- /m.exec(read('docs/use/endpoints.md')) ?? []
  assert.deepEqual(paths.filter((name) => !said.includes(`\`${name}\``)), [], `docs/use/endpoints.md: ${said}`)
})

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen']
const numberOf = (/** @type {string} */ word) => /^\d+$/.test(word) ? Number(word) : NUMBERS.indexOf(word.toLowerCase())

/** The libraries whose methods the agent wraps. */
const libraries = [...new Set([...read('lib/host/work/libraries/index.js').matchAll(/file: \['([^']+)', '([^']+)'/g)]
  .map(([, name, next]) => name.startsWith('@') ? `${name}/${next}` : name))]
/** What the shop of the demo can be asked to block. */
const ways = /const blocking = \[([^\]]*)\]/.exec(read('scenarios/demo/load.js'))?.[1].match(/'/g)?.length ?? 0
/** What an application installs: loopwatch, and what it depends on. */
const installed = Object.entries(JSON.parse(read('package-lock.json')).packages)
  .filter(([, { dev, devOptional, optional, peer }]) => !dev && !devOptional && !optional && !peer).length
const megabytes = Math.round(packed.reduce((sum, file) => sum + fs.statSync(path.join(ROOT, file)).size, 0) / 1e6)

/** Counts in sentences. @type {[pattern: RegExp, count: number, isNeeded: boolean][]} */
const COUNTS = [
  [/(?<=[\s[])(\d+|[A-Za-z]+) libraries\b/g, libraries.length, false],
  [/\bblocks(?: its event loop)? in (\w+) ways/g, ways / 2, true],
  [/\binstalls (\d+) packages in all/g, installed, true],
  [/\bpackage is (\d+) MB/g, megabytes, true]
]

test('what README and docs count is as many', () => {
  for (const [pattern, count, isNeeded] of COUNTS) {
    const said = forUsers.flatMap((file) => [...read(file).replace(/\s+/g, ' ').matchAll(pattern)].map(([text, word]) => ({ file, text, number: numberOf(word) }))).filter(({ number }) => number !== -1)
    assert.deepEqual(said.filter(({ number }) => number !== count), [], `there are ${count}`)
    assert.ok(said.length > 0 || !isNeeded, `${pattern}`)
  }
})

test('limits.md lists every library whose methods the agent wraps', () => {
  assert.ok(libraries.length > 10, `${libraries}`)
  const table = tables('docs/understand/limits.md', '').find((rows) => rows.some(([name]) => name === 'bullmq')) ?? []
  assert.deepEqual(table.map(([name]) => name.split('`').find((part) => libraries.includes(part)) ?? name).sort(), libraries.sort())
})
