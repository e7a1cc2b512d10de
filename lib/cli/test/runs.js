'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { TraceMap, originalPositionFor } = require('@jridgewell/trace-mapping')
const { readBlocks } = require('../../store/block-file')
const { isForkedByVitest, THREAD_SUFFIX } = require('./tool-processes')

/**
 * @import { BlockRecord } from '../../types'
 * @import { Stretch } from './inside/loop-meter'
 */

/**
 * @typedef {{ name: string | null, file: string | null, startMs: number, endMs: number }} Interval of a test, or of a
 * file whose tests have no names; wall time, Infinity if it did not end
 * @typedef {{ call: string, twin: string, function: string | null, file: string, line: number | null, column: number
 * | null, package: string | null, isStartup: boolean, atMs: number, count: number }} SyncCall of one line and test
 * @typedef {object} ProcessRun one Node.js process of the command
 * @property {number} pid @property {string[]} argv @property {string[]} execArgv @property {string} cwd
 * @property {boolean | null} isWatched null if there was no need
 * @property {boolean} isNodeTest a file that `node --test` started @property {number} startMs
 * @property {boolean} isMetered its main thread counted the CPU time of each turn itself
 * @property {Stretch[]} stretches
 * @property {Map<string, string>} sourceMaps files of them, by the file whose code was transformed
 * @property {Interval[]} tests in the order in which they began @property {SyncCall[]} syncCalls
 */

const SUFFIX = '.tests'

/** `unwatchedTests`: processes and worker threads that ran tests unwatched. @param {string} dir left by the command */
exports.readRuns = (dir) => {
  const files = fs.readdirSync(dir)
  const read = files.filter((file) => file.endsWith(SUFFIX)).sort().flatMap((file) => {
    const run = readRun(fs.readFileSync(path.join(dir, file), 'utf8'))
    return run === null ? [] : [{ run, records: recordsIn(path.join(dir, file.slice(0, -SUFFIX.length))) }]
  })
  const runs = read.map(({ run }) => run)
  return {
    runs,
    records: read.flatMap(({ records }) => records).sort((a, b) => a.startedAt < b.startedAt ? -1 : 1),
    unwatchedTests: files.filter((file) => file.endsWith(THREAD_SUFFIX)).length +
      runs.filter(({ argv, isWatched }) => isForkedByVitest(argv[1]) && !isWatched).length
  }
}

/** @param {string} folder of one process; it exists from the first block on */
const recordsIn = (folder) => fs.existsSync(folder) ? readBlocks(folder).records : []

/**
 * Finds the place in the file for a place in the code that ran, by the runner's source map; null without one.
 * @param {{ file: string | null, line: number | null, column: number | null }} place @param {ProcessRun | null} run
 */
exports.originalOf = ({ file, line: ran, column: at }, run) => {
  const map = file === null ? undefined : run?.sourceMaps.get(file)
  if (ran === null || map === undefined) return null
  try {
    const { line, column } = originalPositionFor(new TraceMap(fs.readFileSync(map, 'utf8')), {
      line: ran,
      column: Math.max(0, (at ?? 1) - 1)
    })
    return line === null ? null : { line, column: column + 1 }
  } catch {
    // The cache of the source map is gone.
    return null
  }
}

/** @typedef {Pick<ProcessRun, 'pid' | 'argv' | 'execArgv' | 'cwd' | 'isNodeTest' | 'isMetered' | 'startMs'>} Program */

/** @param {Program} program @returns {ProcessRun} in which nothing has happened yet */
exports.newRun = (program) => (
  { ...program, isWatched: null, stretches: [], sourceMaps: new Map(), tests: [], syncCalls: [] })

/** @param {string} text @returns {ProcessRun | null} */
function readRun (text) {
  const [first, ...lines] = text.split('\n').flatMap(parse)
  if (first?.type !== 'process') return null
  const { type, atMs, ...program } = first
  const run = exports.newRun({ ...program, startMs: atMs })
  /** @type {Map<number, Interval>} */
  const open = new Map()
  for (const line of lines) readLine(run, line, open)
  return run
}

/** @param {ProcessRun} run @param {any} line @param {Map<number, Interval>} open tests that have not ended yet */
function readLine (run, line, open) {
  if (line.type === 'begin') {
    const test = { name: line.name, file: line.file, startMs: line.atMs, endMs: Infinity }
    open.set(line.id, test)
    run.tests.push(test)
  } else if (line.type === 'end') {
    const test = open.get(line.id)
    if (test !== undefined) test.endMs = line.atMs
  } else if (line.type === 'map') {
    run.sourceMaps.set(line.file, line.sourceMap)
  } else if (line.type === 'watch') {
    run.isWatched = line.isWatched
  } else if (line.type === 'stretch') {
    run.stretches.push(line)
  } else if (line.type === 'sync') {
    run.syncCalls.push({ ...line, count: 1 })
  } else if (line.type === 'sync-count') {
    const call = run.syncCalls[line.id]
    if (call !== undefined) call.count = line.count
  }
}

/** A killed process may leave half a line. @param {string} line @returns {any[]} */
function parse (line) {
  try {
    return line === '' ? [] : [JSON.parse(line)]
  } catch {
    return []
  }
}

/**
 * The process of a record, also by its time: process ids are reused.
 * @param {ProcessRun[]} runs @param {BlockRecord} record
 */
exports.runOf = (runs, { pid, startedAt, durationMs }) => {
  const endMs = Date.parse(startedAt) + durationMs
  return runs.findLast((run) => run.pid === pid && run.startMs <= endMs) ?? null
}

/**
 * The test with most of an interval; `others` ran for as long within it. With a test and its subtest, the innermost: it
 * began last. @param {Interval[]} tests @param {number} startMs @param {number} endMs
 */
exports.testOf = (tests, startMs, endMs) => {
  const within = tests
    .map((test) => ({ test, overlapMs: overlapOf({ startMs, endMs }, test) }))
    .filter(({ overlapMs }) => overlapMs > 0)
  if (within.length === 0) return null
  const longestMs = Math.max(...within.map(({ overlapMs }) => overlapMs))
  const all = within.filter(({ overlapMs }) => overlapMs === longestMs)
  return { test: all[all.length - 1].test, overlapMs: longestMs, others: all.length - 1 }
}

/** @param {{ startMs: number, endMs: number }} a @param {{ startMs: number, endMs: number }} b */
const overlapOf = (a, b) => Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs)

/**
 * The thread's stretch of CPU time with most of a block: successive stretches touch.
 * @param {Stretch[]} stretches @param {number} startMs @param {number} endMs
 */
exports.stretchOf = (stretches, startMs, endMs) => {
  const isMostly = (/** @type {Stretch} */ stretch) =>
    overlapOf(stretch, { startMs, endMs }) * 2 > Math.min(endMs - startMs, stretch.endMs - stretch.startMs)
  return stretches.filter(isMostly).sort((a, b) => b.cpuMs - a.cpuMs)[0] ?? null
}
