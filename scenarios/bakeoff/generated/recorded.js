'use strict'

// Recorded blocks of generated programs (facts.js), explained again by lib/explain as it is now:
//   node scenarios/bakeoff/generated/recorded.js                what changed, and figures by load, version and family
//   node scenarios/bakeoff/generated/recorded.js --write        the same, and keeps the verdicts of now
//   node scenarios/bakeoff/generated/recorded.js --pack <file.ndjson> ...   records these blocks in place of the others

const fs = require('node:fs')
const path = require('node:path')
const { parseArgs } = require('node:util')
const zlib = require('node:zlib')
const { explain, unpackAll } = require('./facts')
const { judge, lineShares, WORTH } = require('./score')

const FIXTURES = path.join(__dirname, '..', '..', '..', 'test', 'fixtures')
const BLOCKS = path.join(FIXTURES, 'facts.ndjson.br')
const VERDICTS = path.join(FIXTURES, 'facts-verdicts.txt')
/** The blocks have much in common, across all of the file. */
const WINDOW_BITS = 24
/** Keys that a program was drawn with: no place depends on them, and in a repository they look like a leak. */
const KEYS = /\{\\"publicKey\\":\\"-----BEGIN.*?-----\\\\n\\"\}/g

/**
 * @typedef {object} Outcome of one block
 * @property {string} id version, family and number @property {string} version @property {string} family
 * @property {import('./score').Verdict} verdict
 * @property {string} row of the table of verdicts
 */

/** @returns {string[]} JSON of each recorded block, by factsOf() of facts.js and with an `id` */
exports.readRecorded = () => zlib.brotliDecompressSync(fs.readFileSync(BLOCKS)).toString().split('\n').filter(Boolean)

/** @returns {string[]} rows of the verdicts as they were when they were kept */
exports.readVerdicts = () => fs.readFileSync(VERDICTS, 'utf8').split('\n').filter(Boolean)

/** @param {string[]} lines of readRecorded() @returns {Outcome[]} */
exports.explainAgain = (lines) => unpackAll(lines, (all) => all.map(({ id = '', node, family = 'grammar', interval, truth, facts }) => {
  const verdict = judge(interval, [explain(facts)], truth)
  const { load, line, record } = verdict
  const { frame = null, cause = 'lost' } = record ?? {}
  const place = frame === null ? 'nowhere' : `${frame.function}:${frame.line}${frame.exact ? '' : ' ≈'}`
  return { id, version: majorOf(node), family, verdict, row: `${id}: ${load}, ${line}, ${place}, ${cause}` }
}))

/**
 * Blocks with another verdict than before. `gain` is how many steps better the line is (WORTH).
 * @param {string[]} before @param {string[]} now rows @returns {{ was: string, is: string, gain: number }[]}
 */
exports.changedIn = (before, now) => {
  const rowsBefore = new Map(before.map((row) => [row.split(':')[0], row]))
  return now.filter((row) => !before.includes(row)).map((row) => {
    const was = rowsBefore.get(row.split(':')[0]) ?? 'was not there'
    return { was, is: row, gain: worthOf(row) - worthOf(was) }
  })
}

/** @param {string} row */
const worthOf = (row) => WORTH.indexOf(/** @type {any} */ (row.split(', ')[1]))

/**
 * The share of blocks that a change of a rule changes.
 * @param {ReturnType<typeof exports.changedIn>} changed @param {number} n of all
 */
exports.sayChanges = (changed, n) => {
  const better = changed.filter(({ gain }) => gain > 0).length
  const worse = changed.filter(({ gain }) => gain < 0).length
  const share = (/** @type {number} */ some) => `${(100 * some / n).toFixed(1)}%`
  return [
    ...changed.map(({ was, is }) => `- ${was}\n+ ${is}`),
    `${changed.length} of ${n} blocks have another verdict (${share(changed.length)}); ` +
    `the line is better in ${better} (${share(better)}) and worse in ${worse} (${share(worse)}).`
  ].join('\n')
}

/** @param {string} node `v24.1.0` */
const majorOf = (node) => node.slice(1).split('.')[0]

/** @param {Outcome[]} outcomes */
function sayFigures (outcomes) {
  const judged = outcomes.filter(({ verdict }) => verdict.isFound && verdict.load !== 'excused')
  const groups = ['calm', 'busy'].flatMap((load) => {
    const some = judged.filter(({ verdict }) => verdict.load === load)
    const by = (/** @type {'version' | 'family'} */ key) => [...new Set(some.map((each) => each[key]))].sort()
      .map((value) => ({ title: `${load}, ${value}`, some: some.filter((each) => each[key] === value) }))
    return [{ title: load, some }, ...by('version'), ...by('family')]
  })
  return groups.map(({ title, some }) => {
    const { n, ...shares } = lineShares(some.map(({ verdict }) => verdict))
    return `${title}: ${n} blocks, ${Object.entries(shares).map(([key, share]) => `${key} ${share.toFixed(1)}%`).join(', ')}`
  }).join('\n')
}

/** @param {string[]} files @returns {string[]} blocks, each with an id */
function numbered (files) {
  /** @type {Record<string, number>} */
  const counts = {}
  return files.flatMap((file) => fs.readFileSync(file, 'utf8').split('\n').filter(Boolean)).map((line) => {
    const { id: _, node, family = 'grammar', ...rest } = JSON.parse(line.replace(KEYS, '{}'))
    const of = `${majorOf(node)} ${family}`
    counts[of] = (counts[of] ?? 0) + 1
    return JSON.stringify({ id: `${of} ${counts[of]}`, node, family, ...rest })
  })
}

/** @param {string[]} lines */
function pack (lines) {
  const text = `${lines.join('\n')}\n`
  const params = {
    [zlib.constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
    [zlib.constants.BROTLI_PARAM_SIZE_HINT]: text.length
  }
  fs.writeFileSync(BLOCKS, zlib.brotliCompressSync(text, { params }))
}

function main () {
  const { values, positionals } = parseArgs({
    options: { write: { type: 'boolean', default: false }, pack: { type: 'boolean', default: false } },
    allowPositionals: true
  })
  if (values.pack) pack(numbered(positionals))
  const outcomes = exports.explainAgain(exports.readRecorded())
  const rows = outcomes.map(({ row }) => row)
  const before = fs.existsSync(VERDICTS) ? exports.readVerdicts() : []
  if (!values.pack) process.stdout.write(`${exports.sayChanges(exports.changedIn(before, rows), rows.length)}\n`)
  process.stdout.write(`${sayFigures(outcomes)}\n`)
  if (values.write || values.pack) fs.writeFileSync(VERDICTS, `${rows.join('\n')}\n`)
}

if (require.main === module) main()
