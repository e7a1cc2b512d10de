'use strict'

// How often does each kind of advice appear, and how often is it wrong? This explains recorded blocks of generated
// programs (../generated/facts.js) again and compares each advice with the line that took the time:
//   node scenarios/bakeoff/checks/advice.js [--wrong] [facts.ndjson ...]
// --wrong prints each wrong one. A kind that is wrong in more than 2% where the record names the right line should be
// narrowed or removed; where it names a wrong line, its advice is about that line.
const fs = require('node:fs')
const { parseArgs } = require('node:util')
const { adviceOf } = require('../../../lib/explain/advice/advice')
const { detectors } = require('../../../lib/explain/advice/detectors')
const { explain, unpackAll } = require('../generated/facts')
const { readRecorded } = require('../generated/recorded')

/** The share that is allowed to be wrong. */
const MOST_WRONG = 0.02

/** @typedef {import('../../../lib/types').BlockRecord} BlockRecord */
/** @typedef {import('../generated/score').Truth} Truth */
/**
 * @typedef {object} Claim
 * @property {string} advice @property {BlockRecord} record @property {Truth} truth
 * @property {string} text the lines that took the time, and the packages @property {string} body their functions
 */

/** The call that a text begins with, as it is written in a line. @param {string} advice */
const callIn = (advice) => (/^[\w.$]+(?:\(JSON.stringify\(\)\))?/.exec(advice)?.[0] ?? '').replace(/^spread$/, '...')
  .replace('JSON.parse(JSON.stringify())', 'JSON.parse(JSON.stringify')

/** @param {Claim} claim */
const isWritten = ({ advice, text }) => text.includes(callIn(advice))

/** @param {[number, number][]} functions @param {number} line */
const isIn = (functions, line) => functions.some(([from, to]) => line >= from && line <= to)

/** Whether an advice is true of a block. */
const CLAIMS = /** @type {Record<string, (claim: Claim) => boolean>} */ ({
  json: isWritten,
  builtin: isWritten,
  sync: ({ advice, text }) => / has only synchronous calls/.test(advice)
    ? /\.(?:all|get|run|exec|iterate)\s*\(/.test(text)
    : text.includes(callIn(advice)),
  regexp: ({ text, body }) => /\.(?:test|exec|match|matchAll|replace|replaceAll|search|split)\s*\(/.test(text + body),
  sort: ({ text, body }) => /[sS]ort(?:ed)?\s*\(/.test(text) || /[sS]ort(?:ed)?\s*\(.*=>/.test(body),
  search: isWritten,
  require: ({ text }) => /\brequire\s*\(/.test(text),
  logging: ({ text }) => /\bconsole\.|\blog\w*\./.test(text),
  microtasks: ({ body }) => /\bawait\b/.test(body),
  allocation: ({ truth }) => truth.cause.includes('gc'),
  memory: ({ truth }) => truth.cause.includes('gc'),
  template: ({ advice, truth }) => truth.owner === callIn(advice),
  mapping: ({ advice, truth }) => truth.owner === callIn(advice),
  computes: ({ advice, record, truth }) => record.package !== null
    ? advice.startsWith(`${truth.owner} `)
    : advice.startsWith('This code ') || isIn(truth.functions, record.frame?.line ?? 0)
})

const { values: { wrong }, positionals } =
  parseArgs({ options: { wrong: { type: 'boolean' } }, allowPositionals: true })
const lines = positionals.length === 0
  ? readRecorded()
  : positionals.flatMap((file) => fs.readFileSync(file, 'utf8').split('\n').filter((line) => line.endsWith('}')))
const counts = Object.fromEntries(Object.keys(detectors)
  .map((kind) => [kind, { given: 0, wrong: 0, atLine: 0, wrongAtLine: 0 }]))
let silent = 0

unpackAll(lines, (all) => all.forEach(({ truth, facts, files }) => {
  const record = explain(facts)
  const textOf = (/** @type {string | null | undefined} */ file) =>
    file && fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n') : null
  const source = textOf(truth.file) ?? []
  const packages = Object.keys(files ?? {}).filter((name) => /node_modules.*js$/.test(name))
  const text = [...truth.lines.map((each) => source[each - 1]), ...packages.map((name) => files[name])].join('\n')
  const body = truth.functions.flatMap(([from, to]) => source.slice(from - 1, to)).join('\n')
  const all = adviceOf(record, textOf(record.frame?.file))
  if (all.length === 0) silent++
  const isRightLine = record.frame?.file === truth.file && truth.lines.includes(record.frame.line ?? 0)
  for (const { kind, text: advice } of all) {
    const isTrue = CLAIMS[kind]?.({ advice, text, body, record, truth }) === true
    const count = counts[kind]
    count.given++
    if (isRightLine) count.atLine++
    if (isTrue) continue
    count.wrong++
    if (isRightLine) count.wrongAtLine++
    if (wrong) {
      const { frame, cause, profile } = record
      console.log(`${kind}: ${advice}`)
      console.log(`  said ${frame?.function}:${frame?.line} ${frame?.exact} (${cause}, ${profile?.call})`)
      console.log(`  true ${truth.lines} of ${truth.owner} (${truth.cause}): ${text.trim()}`)
    }
  }
}))

console.log(`${lines.length} blocks, ${silent} without advice

| advice | given | wrong | at the right line | wrong there |
|---|---|---|---|---|`)
for (const [kind, { given, wrong: all, atLine, wrongAtLine }] of Object.entries(counts)) {
  const mark = wrongAtLine > MOST_WRONG * atLine ? ' (too many)' : ''
  console.log(`| ${kind} | ${given} | ${all} | ${atLine} | ${wrongAtLine}${mark} |`)
}
