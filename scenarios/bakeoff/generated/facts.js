'use strict'

// The agent's facts about the blocks of generated programs, written down so that they can be explained again without a
// process (recorded.js):
//   node scenarios/bakeoff/generated/facts.js <programs> <seed> [--family <name>] [--skip <programs>] > facts.ndjson

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { recordOf } = require('../../../lib/explain/record')
const { ProfileWindows } = require('../../../lib/watchdog/profile/profile-windows')
const { SourceReader } = require('../../../lib/watchdog/source/source-reader')
const { waitedShareOf } = require('./score')

const ROOT = path.join(__dirname, '..', '..', '..')
/** In place of the folders of this machine. */
const [FOLDER, REPOSITORY] = ['<folder>', '<repository>']

/**
 * @typedef {import('./score').Truth} Truth
 * @typedef {import('./score').Interval} Interval
 * @typedef {object} Kept a block
 * @property {string} [id] of a recorded one @property {string} node version @property {string} [family] of programs
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
 * Blocks that were kept, with the files of their programs in a folder for as long as `use` runs.
 * @template T
 * @param {string[]} lines by factsOf(), or facts alone, whose files are where they were
 * @param {(blocks: Kept[]) => T} use
 */
exports.unpackAll = (lines, use) => {
  const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-facts-')))
  try {
    return use(lines.map((line, i) => unpack(line, path.join(home, `${i}`))))
  } finally {
    fs.rmSync(home, { recursive: true, force: true })
  }
}

/** @param {string} line @param {string} folder @returns {Kept} */
function unpack (line, folder) {
  const kept = JSON.parse(line.replaceAll(FOLDER, folder).replaceAll(REPOSITORY, ROOT))
  for (const [name, text] of Object.entries(kept.files ?? {})) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.writeFileSync(path.join(folder, name), text)
  }
  return kept.facts === undefined ? /** @type {Kept} */ ({ facts: kept }) : kept
}

exports.openSources = () => {
  const reader = new SourceReader({ post: () => {}, say: () => {}, stripsTypes: false })
  return { reader, windows: new ProfileWindows(reader) }
}

/**
 * The record of a block, once all names that it needs have been looked up.
 * @param {Kept['facts']} facts @param {ReturnType<typeof exports.openSources>} [sources] which know the files already
 */
exports.explain = (facts, { reader, windows } = exports.openSources()) => {
  const explainNow = () => recordOf(structuredClone(facts), { ...reader.code, sources: () => windows.sources }).record
  let record = explainNow()
  while (reader.frames.isAwaiting) {
    reader.finish()
    record = explainNow()
  }
  return record
}

/** The most programs to try for each that is asked for: a program whose truth is uncertain is left out. */
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
