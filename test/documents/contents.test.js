'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { parse: parseYaml } = require('yaml')
const { tools } = require('../../lib/cli/mcp/serve')
const { causes } = require('../../lib/tables/causes')
const { table } = require('../../lib/tables/metrics')
const { scripts } = require('../../package.json')
const { commandsIn, faultOf } = require('../support/docs/commands')
const { blocks, forUsers, inLanguage, placeOf } = require('../support/docs/for-users')
const { anchors, documents, links, read, ROOT } = require('../support/docs/markdown')

const README_LINES = 160
const README_TOP = 50
const NEEDED_AT_TOP = [
  /<img /,
  /not on npm yet[^]*^npm install loopwatch$/m,
  /^node --import loopwatch\/register app\.js$/m,
  /^npx loopwatch attach <pid> --once$/m
]
/** Whoever is paged reads no further. */
const SLOW_NOW = { lines: 40, link: '(docs/operate/slow-now.md)' }
const LANGUAGES = ['', 'sh', 'js', 'ts', 'json', 'yaml', 'promql', 'dockerfile']
const SUFFIXES = ['', '_bucket', '_sum', '_count']

test('README is one page, whose first screens have a picture, how to start, and what to do about a slow or stuck process', () => {
  const lines = read('README.md').trimEnd().split('\n')
  const { length } = lines
  assert.ok(length <= README_LINES, `README.md has ${length} lines, at most ${README_LINES} fit on one page. ` +
    'Rows of tables stay: move prose to the page of docs/ that answers the question, and link it.')
  const top = lines.slice(0, README_TOP).join('\n')
  for (const needed of NEEDED_AT_TOP) {
    assert.match(top, needed, `the first ${README_TOP} lines of README.md have this; move what pushed it down`)
  }
  assert.ok(lines.slice(0, SLOW_NOW.lines).join('\n').includes(SLOW_NOW.link), `the first ${SLOW_NOW.lines} lines of README.md link ${SLOW_NOW.link}`)
})

test('every link of every document leads somewhere', () => {
  const dead = documents().flatMap((file) => links(file).filter(({ target }) => !/^(https?|mailto):/.test(target)).flatMap(({ target, line }) => {
    const [name, anchor] = target.split('#', 2)
    const to = name === '' ? file : path.join(path.dirname(file), name)
    const isThere = fs.existsSync(path.join(ROOT, to)) && (anchor === undefined || (to.endsWith('.md') && anchors(to).includes(anchor)))
    return isThere ? [] : [`${file}:${line} ${target}`]
  }))
  assert.deepEqual(dead, [])
})

test('llms.txt names documents that are there, and every cause', () => {
  const named = links('llms.txt').map(({ target }) => target)
  assert.ok(named.length > 20, `${named}`)
  assert.deepEqual(named.filter((file) => !fs.existsSync(path.join(ROOT, file))), [])
  assert.deepEqual(Object.keys(causes).filter((cause) => !named.includes(`docs/causes/${cause}.md`)), [])
})

test('every library whose methods are wrapped is in the limits, and they are counted right', () => {
  const source = read(path.join('lib', 'host', 'work', 'libraries', 'index.js'))
  const wrapped = new Set([...source.matchAll(/file: \['(?:(@[\w-]+)', ')?([\w.-]+)'/g)]
    .map(([, scope, name]) => scope === undefined ? name : `${scope}/${name}`))
  const [section] = read('docs/understand/limits.md').split('## What it changes in libraries\n')[1].split('\n## ')
  const listed = [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name)
  assert.deepEqual([...wrapped].sort(), listed.sort())
  for (const file of ['README.md', 'docs/operate/security.md']) assert.match(read(file), new RegExp(`\\[${listed.length} libraries\\]`), file)
})

test('the tools in the documents for assistants are those of mcp', () => {
  for (const name of Object.keys(tools)) {
    for (const file of ['llms.txt', 'docs/tools/mcp.md']) assert.ok(read(file).includes(`\`${name}`), `${file} ${name}`)
  }
})

test('every page of docs is in the index', () => {
  const indexes = ['docs/README.md', 'docs/causes/README.md']
  const linked = new Set(indexes.flatMap((index) => links(index).map(({ target }) => path.join(path.dirname(index), target.split('#')[0]))))
  const isMissing = (/** @type {string} */ file) => file.startsWith('docs') && file !== path.join('docs', 'README.md') && !linked.has(file)
  assert.deepEqual(forUsers.filter(isMissing), [], `link them from ${indexes.join(' or ')}`)
})

test('every block of code has a language that is tested, and a reason where it is not run', () => {
  for (const block of blocks) {
    assert.ok(LANGUAGES.includes(block.language), `${placeOf(block)} ${block.language}`)
    if (['not run', 'parsed only'].includes(block.mark?.kind ?? '')) assert.notEqual(block.mark?.value, '', placeOf(block))
  }
  // A list of nothing would pass all that follows.
  assert.ok(inLanguage(['sh'], true).length > 10 && inLanguage(['js'], true).length > 20, `${blocks.length} blocks`)
})

test('JSON and YAML can be read', () => {
  for (const block of inLanguage(['json', 'yaml'])) {
    assert.doesNotThrow(() => block.language === 'json' ? JSON.parse(block.text) : parseYaml(block.text), placeOf(block))
  }
})

test('workflows and forms can be read, each action is a commit with its version, and what they run is there', () => {
  const files = fs.readdirSync(path.join(ROOT, '.github'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yml'))
  assert.ok(files.length > 5, `${files}`)
  for (const file of files) {
    const text = read(path.join('.github', file))
    assert.doesNotThrow(() => parseYaml(text), file)
    for (const [, action] of text.matchAll(/^[\s-]*uses: (.+)$/gm)) assert.match(action, /^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, file)
    for (const [, script] of text.matchAll(/npm run ([\w:]+)(?! --if-present)(?![\w:])/g)) assert.ok(script in scripts, `${file}: ${script}`)
  }
})

test('PromQL asks for metrics that there are', () => {
  const known = new Set(table.flatMap(({ name }) => SUFFIXES.map((suffix) => name + suffix)))
  for (const block of inLanguage(['promql'])) {
    const names = block.text.match(/loopwatch_\w+/g) ?? []
    assert.ok(names.length > 0 && names.every((name) => known.has(name)), `${placeOf(block)} ${names}`)
  }
})

test('commands have the subcommands, flags, scripts and files that they name', () => {
  const faults = inLanguage(['sh']).flatMap((block) => commandsIn(block.text).map((line) => ({ block, fault: faultOf(line) })))
    .filter(({ fault }) => fault !== null).map(({ block, fault }) => `${placeOf(block)}: ${fault}`)
  assert.deepEqual(faults, [])
})

test('the action takes what documents give it, with the defaults that they name', () => {
  const { inputs } = parseYaml(read('action/action.yml'))
  const [given] = blocks.filter(({ language, text }) => language === 'yaml' && text.includes('loopwatch/action@')).flatMap(({ text }) => parseYaml(text).steps)
  for (const [name, value] of Object.entries(given.with)) assert.equal(value, inputs[name]?.default, name)
})
