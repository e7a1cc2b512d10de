'use strict'

const { isExcused, ownCauseOf } = require('../../lib/tables/causes')
const { median } = require('../harness/measure/stats')
const { KINDS } = require('./plan')

const MB = 1024 * 1024
/** Growth is from the second quarter to the last: in the first, heaps and code warm up. */
const QUARTERS = 4
/** A short run warms up all the time: two heaps that grow when they please are no more equal than that. */
const GROWTH_MB = { short: 40, long: 15 }
const SHORT_S = 300

/**
 * @typedef {object} Look at one process
 * @property {number} residentBytes all its memory
 * @property {number} heapBytes the JavaScript heap of its main thread, as V8 holds it
 * @property {number} heapUsedBytes what is in use of that
 * @property {number} files open ones
 *
 * @typedef {object} Point what was seen of both services at one time
 * @property {number} atS
 * @property {Look} watched
 * @property {Look} bare
 * @property {number} made blocks of the main thread so far
 * @property {number} counted by the metric
 *
 * @typedef {ReturnType<typeof import('./match').match>} Matched
 *
 * @typedef {object} Seen
 * @property {Point[]} points
 * @property {Matched} main
 * @property {Matched} thread
 * @property {{ answered: number, counted: number, dropped: number, failed: number }} requests of the watched service
 * @property {{ counted: number, written: number, lost: number, secondsCounted: number }} blocks of the main thread, by
 * metrics and files
 * @property {number} backward counters that were smaller than before
 * @property {{ watched: number, bare: number }} cpuSeconds
 *
 * @typedef {{ what: string, value: string, bound: string, isMet: boolean | null }} Row isMet is null without a bound
 */

/** @param {Point[]} points @param {number} which from 0 */
const quarter = (points, which) =>
  points.slice(Math.floor((points.length * which) / QUARTERS), Math.floor((points.length * (which + 1)) / QUARTERS))

/**
 * The results of a run, compared with the requirements.
 * @param {Seen} seen
 * @returns {Row[]}
 */
exports.judge = ({ points, main, thread, requests, blocks, backward, cpuSeconds }) => [
  ...judgeCounts(main, thread, blocks),
  ...judgeTimes(main, thread, blocks),
  ...judgeContents(main),
  ...judgeRequests(requests),
  row('counters that went backwards', `${backward}`, 'none', backward === 0),
  ...judgeGrowth(points),
  row('CPU, watched / bare', (cpuSeconds.watched / cpuSeconds.bare).toFixed(2))
]

/**
 * @param {string} what
 * @param {string} value
 * @param {string} [bound]
 * @param {boolean | null} [isMet]
 * @returns {Row}
 */
function row (what, value, bound = '', isMet = null) {
  return { what, value, bound, isMet }
}

/** @param {Matched} main @param {Matched} thread @param {Seen['blocks']} blocks @returns {Row[]} */
function judgeCounts (main, thread, { counted, written, lost }) {
  const made = main.pairs.length + main.missed.length
  const madeInThread = thread.pairs.length + thread.missed.length
  const blamed = main.others.filter((record) => !isExcused(record) && record.cause !== 'unknown').length
  return [
    row('blocks made / with a record', `${made} / ${main.pairs.length}`, 'all', made > 0 && main.missed.length === 0),
    row('blocks of the worker thread made / with a record', `${madeInThread} / ${thread.pairs.length}`, 'all', thread.missed.length === 0),
    row('records of blocks that were not made, blamed on code', `${blamed}`, 'at most 3% of those made, or 2', blamed <= Math.max(2, made * 0.03)),
    row('other records: the machine, or unknown', `${main.others.length - blamed}`),
    row('counted by the metric / written to dir / lost by number', `${counted} / ${written} / ${lost}`, 'equal in sum', counted === written + lost)
  ]
}

/** @param {Matched} main @param {Matched} thread @param {Seen['blocks']} blocks @returns {Row[]} */
function judgeTimes (main, thread, { secondsCounted }) {
  const madeS = [...main.pairs.map(({ truth }) => truth), ...main.missed].reduce((sum, { ms }) => sum + ms, 0) / 1000
  const othersS = main.others.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000
  const ratio = (secondsCounted - othersS) / madeS
  const off = main.pairs.map(({ truth, record }) => Math.abs(record.durationMs - truth.ms))
  const startOff = [...main.pairs, ...thread.pairs]
    .map(({ truth, record }) => Math.abs(Date.parse(record.startedAt) - truth.startedAt))
  return [
    row('blocked time counted / made', ratio.toFixed(3), '0.98 to 1.10', ratio >= 0.98 && ratio <= 1.1),
    row('duration off by, median / largest', `${median(off).toFixed(1)} / ${Math.max(...off).toFixed(0)} ms`, 'median at most 20 ms', median(off) <= 20),
    row('start off by, median / largest', `${median(startOff).toFixed(0)} / ${Math.max(...startOff).toFixed(0)} ms`, 'median at most 20 ms', median(startOff) <= 20)
  ]
}

/** The records of the blocks that were made. @param {Matched} main @returns {Row[]} */
function judgeContents ({ pairs }) {
  const judged = pairs.filter(({ record }) => !isExcused(record))
  const named = judged.filter(({ truth, record }) => record.frame?.function === truth.kind).length
  const causeOf = (/** @type {string} */ kind) => KINDS[/** @type {keyof typeof KINDS} */ (kind)]
  const right = judged.filter(({ truth, record }) => ownCauseOf(record) === causeOf(truth.kind)).length
  const least = (/** @type {number} */ share) => Math.min(judged.length - 1, judged.length * share)
  return [
    row('made blocks that are charged to the machine', `${pairs.length - judged.length}`),
    row('of the others, the function is right', `${named} of ${judged.length}`, 'at least 95%, or all but 1', named >= least(0.95)),
    row('of the others, the cause is right', `${right} of ${judged.length}`, 'at least 90%, or all but 1', right >= least(0.9))
  ]
}

/** @param {Seen['requests']} requests @returns {Row[]} */
function judgeRequests ({ answered, counted, dropped, failed }) {
  const isEqual = answered > 0 && counted + dropped === answered
  return [
    row('requests answered / counted / lost by number', `${answered} / ${counted} / ${dropped}`, 'equal in sum', isEqual),
    row('requests that failed', `${failed}`, 'none', failed === 0)
  ]
}

/**
 * Cost of the agent at one time of the run: the watched service minus the bare one.
 * @param {Point[]} points
 */
function shareIn (points) {
  // V8 gives back a heap when it pleases, and its two heaps do not please at once: what it holds for the main thread is
  // left out.
  const outside = (/** @type {'watched' | 'bare'} */ which) =>
    median(points.map(({ [which]: { residentBytes, heapBytes } }) => residentBytes - heapBytes))
  // The heap fills up for minutes before it is collected. Its minimum is the memory that is in use.
  const kept = (/** @type {'watched' | 'bare'} */ which) =>
    Math.min(...points.map(({ [which]: { heapUsedBytes } }) => heapUsedBytes))
  return {
    outsideMb: (outside('watched') - outside('bare')) / MB,
    heapMb: (kept('watched') - kept('bare')) / MB,
    files: median(points.map(({ watched, bare }) => watched.files - bare.files))
  }
}

/** @param {Point[]} points @returns {Row[]} */
function judgeGrowth (points) {
  const [second, last] = [shareIn(quarter(points, 1)), shareIn(quarter(points, 3))]
  const grown = {
    outsideMb: last.outsideMb - second.outsideMb,
    heapMb: last.heapMb - second.heapMb,
    files: last.files - second.files
  }
  const resident = (/** @type {number} */ which) =>
    (median(quarter(points, which).map(({ watched }) => watched.residentBytes)) / MB).toFixed(0)
  const mayGrowMb = (points.at(-1)?.atS ?? 0) < SHORT_S ? GROWTH_MB.short : GROWTH_MB.long
  return [
    row('resident memory, watched, second / last quarter', `${resident(1)} / ${resident(3)} MB`),
    row('the agent\'s share of memory outside the main thread\'s heap, second / last quarter', `${second.outsideMb.toFixed(0)} / ${last.outsideMb.toFixed(0)} MB`, 'last at most 60 MB', last.outsideMb <= 60),
    row('growth of that share', `${grown.outsideMb.toFixed(1)} MB`, `at most ${mayGrowMb} MB`, grown.outsideMb <= mayGrowMb),
    row('the agent\'s share of that heap, what is left in use, second / last quarter', `${second.heapMb.toFixed(1)} / ${last.heapMb.toFixed(1)} MB`, 'last at most 20 MB', last.heapMb <= 20),
    row('growth of what is left in use', `${grown.heapMb.toFixed(1)} MB`, `at most ${mayGrowMb} MB`, grown.heapMb <= mayGrowMb),
    row('open files, the agent\'s share, last quarter', `${last.files}`),
    row('growth of open files', `${grown.files}`, 'at most 2', grown.files <= 2)
  ]
}
