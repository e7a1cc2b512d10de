'use strict'

// Which conditions of lib/explain change nothing? This script removes each part of each condition and each row of each
// table, one at a time, and explains recorded blocks again (../generated/recorded.js, or files by facts.js or the
// agent's option `facts`):
//   node scenarios/bakeoff/checks/guards.js [--files place/,profile/] [--sample 3] [facts.ndjson ...]
// The output says how many records change, and how many of their lines become better and worse (`| sort -n`: parts
// that change nothing come first). --files are files or folders below lib/explain, all but advice/ by default; with
// --sample n, every nth block is explained.
//   node scenarios/bakeoff/checks/guards.js --check [--files ...] [--sample 3]
// stops at the first record that changes, and fails if a part of the files in guarded.js changes none.
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const Module = require('node:module')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { parse } = require('acorn')
const guarded = require('./guarded')
const { unpackAll } = require('../generated/facts')
const { readRecorded } = require('../generated/recorded')
const { judge, WORTH } = require('../generated/score')

const ROOT = path.join(__dirname, '..', '..', '..')
const EXPLAIN = path.join(ROOT, 'lib', 'explain')
/** Below lib/explain, what reads sources. */
const SOURCE = `source${path.sep}`
const FACTS = require.resolve('../generated/facts')
/** A process keeps each copy of lib/explain that it has loaded, so it takes no more mutants than this. */
const MUTANTS = 50
/** A mutant that explains all blocks for longer runs in circles, which is a change. */
const LONGEST_MS = 120_000

/** In place of a row of a table. */
const NO_ROW = '...[]'

/** @typedef {{ start: number, end: number, text: string, line?: number }} Edit */
/** @typedef {{ file: string, line: number, was: string, is: string, source: string }} Mutant */
/**
 * @typedef {object} Told
 * @property {string} text of the record of a block
 * @property {import('../generated/score').Judgement} line
 */

/** @param {any} node @param {string} source @returns {Edit[]} ways to leave out a part of it */
function editsOf (node, source) {
  const text = (/** @type {any} */ { start, end }) => source.slice(start, end)
  const { start, end, type, left, right, test, elements } = node
  const parts = type === 'LogicalExpression' && node.operator !== '??'
    ? [left, right]
    : type === 'ConditionalExpression' ? [node.consequent, node.alternate] : []
  if (type === 'IfStatement') return ['false', 'true'].map((value) => ({ start: test.start, end: test.end, text: value }))
  if (type === 'ArrayExpression' && elements.length > 1) {
    const rows = elements.filter((/** @type {any} */ element) => element?.type === 'ObjectExpression')
    return rows.map((/** @type {any} */ row) =>
      ({ start: row.start, end: row.end, line: row.loc.start.line, text: NO_ROW }))
  }
  return parts.map((part) => ({ start, end, text: `(${text(part)})` }))
}

/** @param {string} file @returns {Mutant[]} */
function mutantsOf (file) {
  const source = fs.readFileSync(path.join(EXPLAIN, file), 'utf8')
  /** @type {Mutant[]} */
  const mutants = []
  for (const node of nodesIn(parse(source, { ecmaVersion: 'latest', locations: true }))) {
    for (const { start, end, text, line = node.loc.start.line } of editsOf(node, source)) {
      mutants.push({
        file,
        line,
        was: source.slice(start, end).replace(/\s+/g, ' ').slice(0, 90),
        is: text.replace(/\s+/g, ' ').slice(0, 60),
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

/** Reading and parsing the sources of a block takes longer than explaining it. @type {WeakMap<object, any>} */
const opened = new WeakMap()

/**
 * Explains blocks with a mutant in place, or by lib/explain as it is.
 * @param {Mutant | null} mutant @returns {(block: import('../generated/facts').Kept) => Told}
 */
function explaining (mutant) {
  const isOfSources = mutant?.file.startsWith(SOURCE) === true
  const stale = isOfSources ? path.join(ROOT, 'lib') : EXPLAIN
  const isStale = (/** @type {string} */ file) => file === FACTS ||
    (file.startsWith(stale) && (isOfSources || !file.startsWith(path.join(EXPLAIN, SOURCE))))
  for (const file of Object.keys(require.cache).filter(isStale)) delete require.cache[file]
  replaced.clear()
  if (mutant !== null) replaced.set(path.join(EXPLAIN, mutant.file), mutant.source)
  return (block) => {
    const { facts, interval, truth } = block
    try {
      // Loaded here: a mutant may fail as it is loaded.
      const { explain, openSources } = require(FACTS)
      if (!isOfSources && !opened.has(block)) opened.set(block, openSources())
      const record = isOfSources ? explain(facts) : explain(facts, opened.get(block))
      return { text: JSON.stringify(record), line: truth === undefined ? 'none' : judge(interval, [record], truth).line }
    } catch (error) {
      return { text: `threw ${error.message}`, line: 'none' }
    }
  }
}

/**
 * Leaves out each of some parts, and prints what comes of it as JSON.
 * @param {Mutant[]} mutants @param {string[]} lines of blocks @param {boolean} isCheck the first change is enough
 */
function leaveOut (mutants, lines, isCheck) {
  unpackAll(lines, (found) => {
    const [first, again] = [found.map(explaining(null)), found.map(explaining(null))]
    // A record that differs from run to run shows nothing.
    let all = found.map((block, i) => ({ block, before: first[i] })).filter((_, i) => first[i].text === again[i].text)
    for (const mutant of mutants) {
      const explain = explaining(mutant)
      const result = { changed: 0, better: 0, worse: 0 }
      for (const each of all) {
        const { text, line } = explain(each.block)
        if (text === each.before.text) continue
        const gain = WORTH.indexOf(line) - WORTH.indexOf(each.before.line)
        result.changed++
        if (gain > 0) result.better++
        if (gain < 0) result.worse++
        if (!isCheck) continue
        // A block that shows one change often shows the next.
        all = [each, ...all.filter((other) => other !== each)]
        break
      }
      fs.writeSync(1, `${JSON.stringify(result)}\n`)
    }
  })
}

/**
 * Records that each mutant changes. A process takes some of the mutants.
 * @param {number} count of mutants @returns {Generator<{ changed: number, better: number, worse: number }>}
 */
function * resultsOf (count) {
  for (let from = 0; from < count;) {
    const args = [...process.argv.slice(1), '--from', `${from}`]
    /** @type {import('node:child_process').StdioOptions} */
    const stdio = ['ignore', 'pipe', 'inherit']
    const options = { stdio, timeout: LONGEST_MS, encoding: /** @type {const} */ ('utf8') }
    const { stdout, status, signal } = spawnSync(process.execPath, args, options)
    const results = stdout.split('\n').slice(0, -1).map((line) => JSON.parse(line))
    if (status !== 0 && signal === null) throw new Error(`explaining blocks failed after ${from + results.length} parts`)
    yield * results
    from += results.length
    // The time had run out, for this mutant or for the ones before it.
    if (signal !== null && results.length === 0) {
      yield { changed: Infinity, better: 0, worse: 0 }
      from++
    }
  }
}

/** @param {string[]} paths files or folders, all if none */
function filesOf (paths) {
  return fs.readdirSync(EXPLAIN, { recursive: true, encoding: 'utf8' }).sort()
    .filter((file) => file.endsWith('.js') && !file.startsWith('advice'))
    .filter((file) => paths.length === 0 || paths.some((each) => file === each || (each.endsWith('/') && file.startsWith(each))))
}

function main () {
  const { values: { files, from, sample, check }, positionals } = parseArgs({
    options: {
      files: { type: 'string' },
      from: { type: 'string' },
      sample: { type: 'string', default: '1' },
      check: { type: 'boolean', default: false }
    },
    allowPositionals: true
  })
  const paths = files?.split(',') ?? (check ? guarded.files : [])
  const mutants = check && paths.length === 0 ? [] : filesOf(paths).flatMap(mutantsOf)
  if (from !== undefined) {
    const lines = positionals.length === 0
      ? readRecorded()
      : positionals.flatMap((file) => fs.readFileSync(file, 'utf8').split('\n').filter(Boolean))
    const some = mutants.slice(Number(from), Number(from) + MUTANTS)
    return leaveOut(some, lines.filter((_, i) => i % Number(sample) === 0), check)
  }
  let [n, idle] = [0, 0]
  const unused = new Set(guarded.accepted)
  for (const { changed, better, worse } of resultsOf(mutants.length)) {
    const { file, line, was, is } = mutants[n++]
    const said = `${file}:${line}\t${was} -> ${is}`
    if (!check) process.stdout.write(`${changed}\t${better}\t${worse}\t${said}\n`)
    const accepted = guarded.accepted.find((each) => each.file === file && each.was === was && each.is === is)
    if (accepted !== undefined && changed === 0) unused.delete(accepted)
    if (!check || changed > 0 || accepted !== undefined) continue
    idle++
    const of = sample === '1' ? '' : ` of every ${sample}, and may change others`
    process.stdout.write(`changes no recorded block${of}: ${said}\n`)
  }
  if (!check) return
  const needless = [...unused].filter(({ file }) => filesOf(paths).includes(file))
  for (const { file, was, is } of needless) process.stdout.write(`need not be accepted: ${file}\t${was} -> ${is}\n`)
  process.stdout.write(`${n - idle} of ${n} parts of conditions change a recorded block or are accepted.\n`)
  process.exitCode = idle + needless.length > 0 ? 1 : 0
}

main()
