'use strict'

const { causes } = require('../../lib/tables/causes')
const { median } = require('../harness/measure/stats')
const { KINDS } = require('./plan')

const MB = 1024 * 1024
/** The first of a run is heaps and code that warm up. */
const QUARTERS = 4
/** In a short run all of them are: two heaps that grow when they please are no more equal than that. */
const GROWTH_MB = { short: 40, long: 15 }
const SHORT_S = 300

/**
 * @typedef {{ residentBytes: number, heapBytes: number, heapUsedBytes: number, files: number }} Look at one process:
 * all
 *   its memory, the JavaScript heap of its main thread as V8 holds it, what is in use of that, open files
 *
 * @typedef {object} Point what was seen of both services at one time
 * @property {number} atS
 * @property {Look} watched
 * @property {Look} bare
 * @property {number} made blocks of the main thread so far
 * @property {number} counted by the metric
 *
 * @typedef {object} Seen
 * @property {Point[]} points
 * @property {ReturnType<typeof import('./match').match>} main
 * @property {ReturnType<typeof import('./match').match>} thread
 * @property {{ answered: number, counted: number, dropped: number, failed: number }} requests of the watched service
 * @property {{ counted: number, written: number, lost: number, secondsCounted: number }} blocks of the main thread,
 * metrics and files
 * @property {number} backward counters that were smaller than before
 * @property {{ watched: number, bare: number }} cpuSeconds
 *
 * @typedef {{ what: string, value: string, bound: string, isMet: boolean | null }} Row isMet is null where there is no
 * bound
 */

/** @param {Point[]} points @param {number} which from 0 */
const quarter = (points, which) =>
  points.slice(Math.floor((points.length * which) / QUARTERS), Math.floor((points.length * (which + 1)) / QUARTERS))

/**
 * Starved or suspended: of the machine, with no line to blame.
 * @param {import('../../lib/types').BlockRecord['cause']} cause
 */
const isExcused = (cause) => causes[cause].excuse !== undefined

/**
 * What a run has shown against what it must.
 * @param {Seen} seen
 * @returns {Row[]}
 */
exports.judge = ({ points, main, thread, requests, blocks, backward, cpuSeconds }) => {
  const made = main.pairs.length + main.missed.length
  const madeInThread = thread.pairs.length + thread.missed.length
  const blamed = main.others.filter(({ cause }) => !isExcused(cause) && cause !== 'unknown')
  const judged = main.pairs.filter(({ record }) => !isExcused(record.cause))
  const madeS = [...main.pairs.map(({ truth }) => truth), ...main.missed].reduce((sum, { ms }) => sum + ms, 0) / 1000
  const othersS = main.others.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000
  const named = judged.filter(({ truth, record }) => record.frame?.function === truth.kind).length
  const right = judged.filter(
    ({ truth, record }) => record.cause === KINDS[/** @type {keyof typeof KINDS} */ (truth.kind)]
  ).length
  const off = main.pairs.map(({ truth, record }) => Math.abs(record.durationMs - truth.ms))
  const startOff = [...main.pairs, ...thread.pairs].map(({ truth, record }) =>
    Math.abs(Date.parse(record.startedAt) - truth.startedAt)
  )
  // V8 gives back a heap when it pleases, and its two heaps do not please at once: what it holds for the main thread is
  // left out.
  const outside = (/** @type {Look} */ { residentBytes, heapBytes }) => residentBytes - heapBytes
  // What the heap fell back to: it fills up for minutes before it is collected, and what is left then is what is kept.
  const shares = (/** @type {Point[]} */ some) => ({
    outsideMb:
      (median(some.map(({ watched }) => outside(watched))) - median(some.map(({ bare }) => outside(bare)))) / MB,
    heapMb:
      (Math.min(...some.map(({ watched }) => watched.heapUsedBytes)) -
        Math.min(...some.map(({ bare }) => bare.heapUsedBytes))) /
      MB,
    files: median(some.map(({ watched, bare }) => watched.files - bare.files))
  })
  const [second, last] = [shares(quarter(points, 1)), shares(quarter(points, 3))]
  const grown = {
    outsideMb: last.outsideMb - second.outsideMb,
    heapMb: last.heapMb - second.heapMb,
    files: last.files - second.files
  }
  const resident = (/** @type {number} */ which) =>
    (median(quarter(points, which).map(({ watched }) => watched.residentBytes)) / MB).toFixed(0)
  const mayGrowMb = (points.at(-1)?.atS ?? 0) < SHORT_S ? GROWTH_MB.short : GROWTH_MB.long
  const counted = requests.counted + requests.dropped
  const ratio = (blocks.secondsCounted - othersS) / madeS

  /** @param {string} what @param {string} value @param {string} bound @param {boolean | null} isMet */
  const row = (what, value, bound = '', isMet = null) => ({ what, value, bound, isMet })
  return [
    row('blocks made / with a record', `${made} / ${main.pairs.length}`, 'all', made > 0 && main.missed.length === 0),
    row('blocks of the worker thread made / with a record', `${madeInThread} / ${thread.pairs.length}`, 'all', thread.missed.length === 0),
    row('records of blocks that were not made, blamed on code', `${blamed.length}`, 'at most 3 % of those made, or 2', blamed.length <= Math.max(2, made * 0.03)),
    row('records of others: the machine, or the unknown', `${main.others.length - blamed.length}`),
    row('counted by the metric / written to dir / lost by number', `${blocks.counted} / ${blocks.written} / ${blocks.lost}`, 'equal in sum', blocks.counted === blocks.written + blocks.lost),
    row('blocked time counted, of what was made', ratio.toFixed(3), '0.98 to 1.10', ratio >= 0.98 && ratio <= 1.1),
    row('duration off by, median / largest', `${median(off).toFixed(1)} / ${Math.max(...off).toFixed(0)} ms`, 'median at most 20 ms', median(off) <= 20),
    row('start off by, median / largest', `${median(startOff).toFixed(0)} / ${Math.max(...startOff).toFixed(0)} ms`, 'median at most 20 ms', median(startOff) <= 20),
    row('made blocks that are charged to the machine', `${main.pairs.length - judged.length}`),
    row('of the others, the function is right', `${named} of ${judged.length}`, 'at least 95 %, or all but 1', named >= Math.min(judged.length - 1, judged.length * 0.95)),
    row('of the others, the cause is right', `${right} of ${judged.length}`, 'at least 90 %, or all but 1', right >= Math.min(judged.length - 1, judged.length * 0.9)),
    row('requests answered / counted / lost by number', `${requests.answered} / ${requests.counted} / ${requests.dropped}`, 'equal in sum', requests.answered > 0 && counted === requests.answered),
    row('requests that failed', `${requests.failed}`, 'none', requests.failed === 0),
    row('counters that went backwards', `${backward}`, 'none', backward === 0),
    row('resident memory, watched, second / last quarter', `${resident(1)} / ${resident(3)} MB`),
    row('the agent\'s share of memory outside the main thread\'s heap, second / last quarter', `${second.outsideMb.toFixed(0)} / ${last.outsideMb.toFixed(0)} MB`, 'last at most 60 MB', last.outsideMb <= 60),
    row('growth of that share', `${grown.outsideMb.toFixed(1)} MB`, `at most ${mayGrowMb} MB`, grown.outsideMb <= mayGrowMb),
    row('the agent\'s share of that heap, what is left in use, second / last quarter', `${second.heapMb.toFixed(1)} / ${last.heapMb.toFixed(1)} MB`, 'last at most 20 MB', last.heapMb <= 20),
    row('growth of what is left in use', `${grown.heapMb.toFixed(1)} MB`, `at most ${mayGrowMb} MB`, grown.heapMb <= mayGrowMb),
    row('open files, the agent\'s share, last quarter', `${last.files}`),
    row('growth of open files', `${grown.files}`, 'at most 2', grown.files <= 2),
    row('CPU, watched / bare', (cpuSeconds.watched / cpuSeconds.bare).toFixed(2))
  ]
}
