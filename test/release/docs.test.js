'use strict'

// Longer than half a minute: it runs every command and every block of code in README and docs that can be run.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { parse: parseYaml } = require('yaml')
const { tools } = require('../../lib/cli/mcp/serve')
const { causes } = require('../../lib/tables/causes')
const { table } = require('../../lib/tables/metrics')
const { scripts } = require('../../package.json')
const { eventually } = require('../support/app')
const { commandsIn, faultOf } = require('../support/docs/commands')
const { makeWorld, runCode, runCommand, startAgent } = require('../support/docs/world')
const { anchors, codeBlocks, documents, links, read, ROOT } = require('../support/docs/markdown')

const README_LINES = 160
const README_TOP = 50
const AT_ONCE = 3
const TRIES_MORE = 2
const MOST_RUNS = 10
const LANGUAGES = ['', 'sh', 'js', 'ts', 'json', 'yaml', 'promql', 'dockerfile']
const SUFFIXES = ['', '_bucket', '_sum', '_count']

/** Those whose code is for users; scenarios, dashboards and tests have tests of their own. */
const forUsers = documents().filter((file) => file.startsWith(`docs${path.sep}`) || /^(README|SECURITY|CONTRIBUTING)\.md$/.test(file))
const blocks = forUsers.flatMap(codeBlocks)

/** Blocks that a test goes through. @param {string[]} languages @param {boolean} [isRun] only those that are run */
const inLanguage = (languages, isRun = false) => blocks.filter(({ language, mark }) => languages.includes(language) &&
  !(isRun && ['not run', 'parsed only'].includes(mark?.kind ?? '')))

/** @param {import('../support/docs/markdown').CodeBlock} block */
const placeOf = ({ file, line }) => `${file}:${line}`

/** Some at a time, each once. @template T @param {T[]} items @param {(item: T) => Promise<void>} work */
async function each (items, work) {
  const left = [...items]
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }))
}

test('README is one page, whose first screens have a picture, how to start, and what to do about a process that hangs', () => {
  const lines = read('README.md').trimEnd().split('\n')
  assert.ok(lines.length <= README_LINES, `${lines.length} lines`)
  const top = lines.slice(0, README_TOP).join('\n')
  for (const needed of [/<img /, /^npm install loopwatch$/m, /^node -r loopwatch\/register /m, /^npx loopwatch attach <pid> --once$/m]) assert.match(top, needed)
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

test('the tools in the documents for assistants are those of mcp', () => {
  for (const name of Object.keys(tools)) {
    for (const file of ['llms.txt', 'docs/tools/assistants.md', 'docs/tools/mcp.md']) assert.ok(read(file).includes(`\`${name}`), `${file} ${name}`)
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

test('commands do what they say', async (t) => {
  const world = makeWorld(t)
  const { url } = await startAgent(t)
  // On a busy machine the application may have blocked before its agent watches.
  for (let i = 0; i < MOST_RUNS && !fs.existsSync(path.join(world, 'blocks')); i++) {
    const { code, output } = await runCommand(t, world, 'LOOPWATCH_DIR=./blocks node -r loopwatch/register app.js', url)
    assert.equal(code, 0, output)
  }
  await each(inLanguage(['sh'], true), async (block) => {
    const expected = block.mark?.kind === 'exits' ? Number(block.mark.value) : 0
    for (const line of commandsIn(block.text)) {
      const { code, output } = await runCommand(t, world, line, url)
      assert.equal(code, expected, `${placeOf(block)}: ${line}\n${output}`)
    }
  })
})

test('code runs, and blocks where it says so', async (t) => {
  const world = makeWorld(t)
  const isFile = (/** @type {import('../support/docs/markdown').CodeBlock} */ { mark }) => mark?.kind === 'file'
  const all = inLanguage(['js', 'ts'], true)
  // What others of the same page import comes first.
  for (const group of [all.filter(isFile), all.filter((block) => !isFile(block))]) {
    await each(group, async (block) => {
      let { code, output } = await runCode(t, world, block)
      // On a busy machine a single block may go by as `starved`, which names no line.
      for (let again = 0; code !== 0 && block.mark?.kind === 'blocks' && again < TRIES_MORE; again++) ({ code, output } = await runCode(t, world, block))
      assert.equal(code, 0, `${placeOf(block)}\n${output}`)
    })
  }
})

test('the sample of doctor is what doctor prints', async (t) => {
  const { url } = await startAgent(t)
  const world = makeWorld(t)
  // What a busy machine did before the agent watched is not kept.
  const shapes = (/** @type {string} */ text) => text.replace(/\d[\d.:]*/g, '0').replace(/^(not kept +).*/m, '$1').split('\n')
  const sample = shapes(`${blocks.find(({ text }) => text.startsWith('watching '))?.text}`)
  let printed = ''
  // On a busy machine a heartbeat may be late.
  await eventually(async () => {
    printed = (await runCommand(t, world, 'npx loopwatch doctor 127.0.0.1:9464', url)).output
    return sample.every((line) => shapes(printed).includes(line))
  }, () => `${sample.join('\n')} in ${printed}`)
})

test('the action takes what documents give it, with the defaults that they name', () => {
  const { inputs } = parseYaml(read('action/action.yml'))
  const [given] = blocks.filter(({ language, text }) => language === 'yaml' && text.includes('loopwatch/action@')).flatMap(({ text }) => parseYaml(text).steps)
  for (const [name, value] of Object.entries(given.with)) assert.equal(value, inputs[name]?.default, name)
})
