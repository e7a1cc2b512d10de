'use strict'

// What the agent knew of the blocks of generated programs, written down so that they can be explained again without a
// process: test/fixtures/facts.ndjson, made by
//   node scenarios/bakeoff/generated/facts.js <programs> <seed> >> test/fixtures/facts.ndjson

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { recordOf } = require('../../../lib/explain/record')
const { ProfileWindows } = require('../../../lib/watchdog/profile/profile-windows')
const { SourceReader } = require('../../../lib/watchdog/source/source-reader')
const { judge, waitedShareOf } = require('./score')

const ROOT = path.join(__dirname, '..', '..', '..')
/** In place of the folders of this machine. */
const [FOLDER, REPOSITORY] = ['<folder>', '<repository>']

/**
 * @typedef {import('./score').Truth} Truth
 * @typedef {import('./score').Interval} Interval
 * @typedef {object} Kept a block
 * @property {string} node version @property {string} [family] of programs
 * @property {number} [waitedShare] of the block in which the thread waited for a CPU
 * @property {Interval} interval @property {Truth} truth
 * @property {Record<string, string>} files of the program, by name
 * @property {import('../../../lib/explain/record').Facts} facts
 */

/**
 * @param {string} folder of the program @param {string} name of the file, missing if there was no block
 * @param {Interval[]} intervals @param {Truth} truth @param {string} family @returns {string[]} JSON of what to keep
 */
exports.factsOf = (folder, name, intervals, truth, family) => {
  const text = fs.existsSync(name) ? fs.readFileSync(name, 'utf8') : ''
  const all = text.split('\n').filter(Boolean).map((line) => JSON.parse(line))
  const { file, folder: within, lines, functions, cause, share, next, owner, place } = truth
  return intervals.flatMap((interval) => {
    const middleMs = (interval.startMs + interval.endMs) / 2
    const facts = all.find(({ wallMs, span: { startMs, endMs }, block: { thread, startup } }) =>
      thread === 'main' && !startup && wallMs + startMs < middleMs && wallMs + endMs > middleMs)
    if (facts === undefined) return []
    const kept = {
      node: process.version,
      family,
      waitedShare: waitedShareOf({ ...facts.kernel, durationMs: facts.span.durationMs }),
      interval,
      truth: { file, folder: within, lines, functions, cause, share, next, owner, place },
      files: filesIn(folder),
      facts
    }
    return [JSON.stringify(kept).replaceAll(folder, FOLDER).replaceAll(ROOT, REPOSITORY)]
  })
}

/** @param {string} folder @returns {Record<string, string>} */
function filesIn (folder) {
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:c?js|json)$/.test(name) && !name.endsWith('timed.cjs'))
  return Object.fromEntries(names.map((name) => [name, fs.readFileSync(path.join(folder, name), 'utf8')]))
}

/**
 * A block that was kept, with the files of its program in a new folder.
 * @param {string} line by factsOf() @returns {Kept & { folder: string }}
 */
exports.unpack = (line) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-facts-'))
  const kept = JSON.parse(line.replaceAll(FOLDER, folder).replaceAll(REPOSITORY, ROOT))
  for (const [name, text] of Object.entries(kept.files ?? {})) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.writeFileSync(path.join(folder, name), /** @type {string} */ (text))
  }
  return { ...kept, folder }
}

/** The record of a block. Names that take long to look up are there the second time. @param {Kept['facts']} facts */
exports.explain = (facts) => {
  const reader = new SourceReader({ post: () => {}, say: () => {}, stripsTypes: false })
  const windows = new ProfileWindows(reader)
  const record = () => recordOf(structuredClone(facts), { ...reader.code, sources: () => windows.sources }).record
  record()
  reader.finish()
  return record()
}

/** Explains a block again, and judges the record. @param {string} line by factsOf() */
exports.judgeAgain = (line) => {
  const { folder, interval, truth, facts } = exports.unpack(line)
  try {
    return judge(interval, [exports.explain(facts)], truth)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Of so many programs for each that is asked for, some have a truth that is certain. */
const TRIES = 8

async function main () {
  const { runProgram } = require('./run')
  const { values: { family, skip }, positionals } = parseArgs({
    options: { family: { type: 'string', default: 'grammar' }, skip: { type: 'string', default: '0' } },
    allowPositionals: true
  })
  const [programs, seed] = positionals.map(Number)
  const from = Number(skip)
  for (let index = from, ran = 0; ran < programs && index < from + programs * TRIES; index++) {
    try {
      const result = await runProgram(seed, index, { family, keepsFacts: true })
      if (result === null) continue
      ran++
      for (const line of result.kept) process.stdout.write(`${line}\n`)
    } catch (error) {
      process.stderr.write(`${family} ${seed}.${index} is left out: ${error.message}\n`)
    }
  }
}

if (require.main === module) main()
