'use strict'

const { causes } = require('../../lib/causes')
const { KINDS } = require('./plan')

const MB = 1024 * 1024
/** The first of a run is heaps and code that warm up. */
const QUARTERS = 4
/** In a short run all of them are: two heaps that grow when they please are no more equal than that. */
const GROWTH_MB = { short: 40, long: 15 }
const SHORT_S = 300

/**
 * @typedef {object} Point what was seen of both services at one time
 * @property {number} atS
 * @property {number} watchedBytes resident
 * @property {number} bareBytes
 * @property {number} watchedFiles open
 * @property {number} bareFiles
 * @property {number} made blocks of the main thread so far
 * @property {number} counted by the metric
 *
 * @typedef {object} Seen
 * @property {Point[]} points
 * @property {ReturnType<typeof import('./match').match>} main
 * @property {ReturnType<typeof import('./match').match>} thread
 * @property {{ answered: number, counted: number, dropped: number, failed: number }} requests of the watched service
 * @property {{ counted: number, written: number, lost: number, secondsCounted: number }} blocks of the main thread, metrics and files
 * @property {number} backward counters that were smaller than before
 * @property {{ watched: number, bare: number }} cpuSeconds
 *
 * @typedef {{ what: string, value: string, bound: string, isMet: boolean | null }} Row isMet is null where there is no bound
 */

/** @param {number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN

/** @param {Point[]} points @param {number} which from 0 */
const quarter = (points, which) => points.slice(Math.floor(points.length * which / QUARTERS), Math.floor(points.length * (which + 1) / QUARTERS))

/** Starved or suspended: of the machine, with no line to blame. @param {import('../../lib/store/record').BlockRecord['cause']} cause */
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
  const right = judged.filter(({ truth, record }) => record.cause === KINDS[/** @type {keyof typeof KINDS} */ (truth.kind)]).length
  const off = main.pairs.map(({ truth, record }) => Math.abs(record.durationMs - truth.ms))
  // What a quarter fell back to: heaps fill up for minutes before they are collected, and what is left then is what is kept.
  const lowMb = (/** @type {Point[]} */ some, /** @type {'watchedBytes' | 'bareBytes'} */ key) => Math.min(...some.map((point) => point[key])) / MB
  const shareMb = (/** @type {Point[]} */ some) => lowMb(some, 'watchedBytes') - lowMb(some, 'bareBytes')
  const filesShare = (/** @type {Point[]} */ some) => median(some.map(({ watchedFiles, bareFiles }) => watchedFiles - bareFiles))
  const growthMb = shareMb(quarter(points, 3)) - shareMb(quarter(points, 1))
  const filesGrowth = filesShare(quarter(points, 3)) - filesShare(quarter(points, 1))
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
    row('made blocks that are charged to the machine', `${main.pairs.length - judged.length}`),
    row('of the others, the function is right', `${named} of ${judged.length}`, 'at least 95 %, or all but 1', named >= Math.min(judged.length - 1, judged.length * 0.95)),
    row('of the others, the cause is right', `${right} of ${judged.length}`, 'at least 90 %, or all but 1', right >= Math.min(judged.length - 1, judged.length * 0.9)),
    row('requests answered / counted / lost by number', `${requests.answered} / ${requests.counted} / ${requests.dropped}`, 'equal in sum', requests.answered > 0 && counted === requests.answered),
    row('requests that failed', `${requests.failed}`, 'none', requests.failed === 0),
    row('counters that went backwards', `${backward}`, 'none', backward === 0),
    row('lowest resident memory, watched, second / last quarter', `${lowMb(quarter(points, 1), 'watchedBytes').toFixed(0)} / ${lowMb(quarter(points, 3), 'watchedBytes').toFixed(0)} MB`),
    row('the agent\'s share of it, second / last quarter', `${shareMb(quarter(points, 1)).toFixed(0)} / ${shareMb(quarter(points, 3)).toFixed(0)} MB`, 'last at most 80 MB', shareMb(quarter(points, 3)) <= 80),
    row('growth of that share', `${growthMb.toFixed(1)} MB`, `at most ${mayGrowMb} MB`, growthMb <= mayGrowMb),
    row('open files, the agent\'s share, last quarter', `${filesShare(quarter(points, 3))}`),
    row('growth of that share', `${filesGrowth}`, 'at most 2', filesGrowth <= 2),
    row('CPU, watched / bare', (cpuSeconds.watched / cpuSeconds.bare).toFixed(2))
  ]
}
