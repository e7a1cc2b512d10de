'use strict'

// Which conditions of lib/explain change nothing? This leaves out each part of each condition in turn, and makes the
// records of recorded blocks (../generated/facts.js) again:
//   node scenarios/bakeoff/checks/guards.js [--only <part of a path>] [facts.ndjson ...]
// The files come from facts.js, or from the agent's option `facts`. The output says how many records change, and how
// many of their lines become better and worse (`| sort -n`: parts that change nothing come first).
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const Module = require('node:module')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { parse } = require('acorn')
const { unpack } = require('../generated/facts')
const { judge } = require('../generated/score')

const ROOT = path.join(__dirname, '..', '..', '..')
const EXPLAIN = path.join(ROOT, 'lib', 'explain')
const FACTS = require.resolve('../generated/facts')
const RECORDED = path.join(ROOT, 'test', 'fixtures', 'facts.ndjson')

/** @typedef {{ start: number, end: number, text: string }} Edit */
/** @typedef {{ file: string, line: number, was: string, is: string, source: string }} Mutant */

/** @param {any} node @param {string} source @returns {Edit[]} ways to leave out a part of it */
function editsOf (node, source) {
  const text = (/** @type {any} */ { start, end }) => source.slice(start, end)
  const { start, end, type, left, right, test } = node
  const parts = type === 'LogicalExpression' && node.operator !== '??'
    ? [left, right]
    : type === 'ConditionalExpression' ? [node.consequent, node.alternate] : []
  if (type === 'IfStatement') return ['false', 'true'].map((value) => ({ start: test.start, end: test.end, text: value }))
  return parts.map((part) => ({ start, end, text: `(${text(part)})` }))
}

/** @param {string} file @returns {Mutant[]} */
function mutantsOf (file) {
  const source = fs.readFileSync(file, 'utf8')
  /** @type {Mutant[]} */
  const mutants = []
  for (const node of nodesIn(parse(source, { ecmaVersion: 'latest', locations: true }))) {
    for (const { start, end, text } of editsOf(node, source)) {
      mutants.push({
        file,
        line: node.loc.start.line,
        was: source.slice(start, end).replace(/\s+/g, ' '),
        is: text.replace(/\s+/g, ' '),
        source: source.slice(0, start) + text + source.slice(end)
      })
    }
  }
  return mutants
}

/** @param {any} node @returns {Generator<any>} it and all within */
function * nodesIn (node) {
  if (typeof node.type === 'string') yield node
  for (const child of Object.values(node)) if (child !== null && typeof child === 'object') yield * nodesIn(child)
}

/** The files that a mutant replaces, by path. @type {Map<string, string>} */
const replaced = new Map()
const extensions = /** @type {any} */ (Module)._extensions
const load = extensions['.js']
extensions['.js'] = (/** @type {any} */ module, /** @type {string} */ file) => {
  const source = replaced.get(file)
  return source === undefined ? load(module, file) : module._compile(source, file)
}

/** What lib/explain, as it is now, makes of all facts. @param {ReturnType<typeof unpack>[]} all */
function explainAll (all) {
  const isStale = (/** @type {string} */ file) => file.startsWith(path.join(ROOT, 'lib')) || file === FACTS
  for (const file of Object.keys(require.cache).filter(isStale)) delete require.cache[file]
  const { explain } = require(FACTS)
  return all.map(({ facts, interval, truth }) => {
    try {
      const record = explain(facts)
      return { text: JSON.stringify(record), line: truth === undefined ? 'none' : judge(interval, [record], truth).line }
    } catch (error) {
      return { text: `threw ${error.message}`, line: 'none' }
    }
  })
}

/** What is said of a line, the worst first. */
const WORTH = ['wrong', 'none', 'wrong in doubt', 'doubted', 'right']

/** A process keeps each copy of lib/explain that it has loaded, so it takes no more mutants than this. */
const MUTANTS = 50

const { values: { only = '', from }, positionals } =
  parseArgs({ options: { only: { type: 'string' }, from: { type: 'string' } }, allowPositionals: true })
const files = fs.readdirSync(EXPLAIN, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.js') && !file.startsWith('advice') && file.includes(only))
  .map((file) => path.join(EXPLAIN, file))
const mutants = files.flatMap(mutantsOf)

if (from === undefined) {
  for (let i = 0; i < mutants.length; i += MUTANTS) {
    spawnSync(process.execPath, [...process.argv.slice(1), '--from', `${i}`], { stdio: 'inherit' })
  }
} else leaveOut(mutants.slice(Number(from), Number(from) + MUTANTS))

/** @param {Mutant[]} some */
function leaveOut (some) {
  const lines = (positionals.length === 0 ? [RECORDED] : positionals)
    .flatMap((file) => fs.readFileSync(file, 'utf8').split('\n').filter(Boolean))
  // A line of the agent's option `facts` has no program: its files are where they were.
  const found = lines.map((line) => unpack(line.startsWith('{"node":') ? line : `{"facts":${line}}`))
  process.on('exit', () => { for (const { folder } of found) fs.rmSync(folder, { recursive: true, force: true }) })
  const [first, again] = [explainAll(found), explainAll(found)]
  // A record that differs from run to run shows nothing.
  const all = found.filter((_, i) => first[i].text === again[i].text)
  const before = explainAll(all)
  for (const mutant of some) {
    replaced.set(mutant.file, mutant.source)
    const after = explainAll(all)
    replaced.delete(mutant.file)
    const gains = after.map(({ line }, i) => WORTH.indexOf(line) - WORTH.indexOf(before[i].line))
    const changed = after.filter(({ text }, i) => text !== before[i].text).length
    const better = gains.filter((gain) => gain > 0).length
    const worse = gains.filter((gain) => gain < 0).length
    const { file, line, was, is } = mutant
    const place = `${path.relative(EXPLAIN, file)}:${line}`
    process.stdout.write(`${changed}\t${better}\t${worse}\t${place}\t${was.slice(0, 90)} -> ${is.slice(0, 60)}\n`)
  }
}
