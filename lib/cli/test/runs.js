'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { readBlocks } = require('../../store/block-file')

/**
 * @typedef {import('../../store/record').BlockRecord} BlockRecord
 * @typedef {{ name: string, file: string | null, startMs: number, endMs: number }} Interval of a test; wall time, Infinity where it did not end
 * @typedef {object} ProcessRun one Node.js process of the command
 * @property {number} pid
 * @property {string[]} argv
 * @property {string[]} execArgv
 * @property {string} cwd
 * @property {boolean} isWatched
 * @property {boolean} isNodeTest a file that `node --test` has started
 * @property {number} startMs
 * @property {Interval[]} tests in the order in which they began
 */

/** Of the work folder's files of one process. */
const SUFFIX = '.tests'

/**
 * What a command's processes have left behind.
 * @param {string} dir
 * @returns {{ runs: ProcessRun[], records: BlockRecord[] }}
 */
exports.readRuns = (dir) => {
  const runs = fs.readdirSync(dir).filter((file) => file.endsWith(SUFFIX)).sort()
    .map((file) => readRun(fs.readFileSync(path.join(dir, file), 'utf8'))).filter((run) => run !== null)
  return { runs, records: readBlocks(dir).records }
}

/** @param {string} text @returns {ProcessRun | null} */
function readRun (text) {
  /** @type {ProcessRun | null} */
  let run = null
  /** @type {Map<number, Interval>} */
  const open = new Map()
  for (const line of text.split('\n').flatMap(parse)) {
    if (line.type === 'process') {
      const { pid, argv, execArgv, cwd, isWatched, isNodeTest, atMs } = line
      run = { pid, argv, execArgv, cwd, isWatched, isNodeTest, startMs: atMs, tests: [] }
    } else if (line.type === 'begin') {
      const test = { name: line.name, file: line.file, startMs: line.atMs, endMs: Infinity }
      open.set(line.id, test)
      run?.tests.push(test)
    } else if (line.type === 'end') {
      const test = open.get(line.id)
      if (test !== undefined) test.endMs = line.atMs
    }
  }
  return run
}

/** A process that was killed may have left half a line. @param {string} line @returns {any[]} */
function parse (line) {
  try {
    return line === '' ? [] : [JSON.parse(line)]
  } catch {
    return []
  }
}

/**
 * The process that a record is of: numbers of processes are used again.
 * @param {ProcessRun[]} runs
 * @param {BlockRecord} record
 */
exports.runOf = (runs, { pid, startedAt, durationMs }) => {
  const endMs = Date.parse(startedAt) + durationMs
  return runs.findLast((run) => run.pid === pid && run.startMs <= endMs) ?? null
}

/**
 * The test in which an interval mostly fell. Of several at once, such as a test and its subtest, the one that began
 * last is the innermost.
 * @param {Interval[]} tests
 * @param {number} startMs
 * @param {number} endMs
 * @returns {{ test: Interval, overlapMs: number, others: number } | null} others: tests that ran for as long within it
 */
exports.testOf = (tests, startMs, endMs) => {
  /** @type {{ test: Interval, overlapMs: number, others: number } | null} */
  let best = null
  for (const test of tests) {
    const overlapMs = Math.min(endMs, test.endMs) - Math.max(startMs, test.startMs)
    if (overlapMs <= 0 || (best !== null && overlapMs < best.overlapMs)) continue
    best = { test, overlapMs, others: best?.overlapMs === overlapMs ? best.others + 1 : 0 }
  }
  return best
}
