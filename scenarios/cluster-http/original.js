'use strict'

const { count, figure } = require('../harness/report/format')
const { bytes, k6Lines } = require('../load/k6/k6-lines')
const { ORIGINAL_SECONDS } = require('./plan')
const { receivedBytes, sentBytes } = require('./database/rows')

/** Output of k6 on the original's machine, ms. */
const published = {
  single: {
    requests: 10337,
    perSecond: 171.355262,
    received: 425e6,
    sent: 827e3,
    avg: 290.9,
    min: 50.23,
    med: 331.05,
    max: 363.4,
    p90: 344.15,
    p95: 347.43
  },
  cluster: {
    requests: 15550,
    perSecond: 258.322869,
    received: 650e6,
    sent: 1.2e6,
    avg: 193.02,
    min: 2.46,
    med: 197.77,
    max: 486,
    p90: 284.4,
    p95: 300.88
  }
}
const DURATION = /** @type {const} */ (['avg', 'min', 'med', 'max', 'p90', 'p95'])

/** @typedef {import('../harness/interface').Cell} Cell */

/** @param {number} from @param {number} to */
const gain = (from, to) => `${to >= from ? '+' : ''}${((to / from - 1) * 100).toFixed(1)}%`

/**
 * A typical run of a cell, from the medians of its parts.
 * @param {Cell} cell
 * @returns {import('../load/interface').LoadResult}
 */
const typical = ({ extra, params }) => {
  const value = (/** @type {string} */ key) => extra[key]?.median ?? 0
  const part = (/** @type {string} */ name) => Object.fromEntries(DURATION.map((key) => [key, value(`${name}.${key}`)]))
  return /** @type {any} */ ({
    requests: value('requests'),
    failed: value('failed'),
    seconds: value('loadSeconds'),
    bytesReceived: value('bytesReceived'),
    bytesSent: value('bytesSent'),
    users: params.users,
    ...Object.fromEntries(['blockedMs', 'connectingMs', 'durationMs', 'receivingMs', 'sendingMs', 'waitingMs'].map((name) => [name, part(name)]))
  })
}

/** @param {import('../harness/interface').Document} document */
exports.compare = ({ cells, seconds, environment }) => {
  const find = (/** @type {string} */ variant) => cells.find((cell) => cell.variant === variant && cell.median !== null)
  const [single, pool, cluster] = ['single', 'single-pool', 'cluster'].map(find)
  const rate = (/** @type {Cell | undefined} */ cell) => Number(cell?.median)
  /**
   * @param {string} title
   * @param {(run: typeof published.single) => string} theirs
   * @param {(load: import('../load/interface').LoadResult) => string} ours
   */
  const row = (title, theirs, ours) => [title, theirs(published.single), single === undefined ? '' : ours(typical(single)), theirs(published.cluster), cluster === undefined ? '' : ours(typical(cluster)), pool === undefined ? '' : ours(typical(pool))]
  return [{
    title: 'The two runs of the original and ours (medians), with the control it lacks',
    head: ['', 'one process', 'ours', 'cluster', 'ours', 'one process, a pool: ours only'],
    rows: [
      row('http_reqs', ({ requests }) => count(requests), ({ requests }) => count(requests)),
      row('requests/s', ({ perSecond }) => figure(perSecond), ({ requests, seconds }) => figure(requests / seconds)),
      ...DURATION.map((key) => row(`http_req_duration ${key}, ms`, (run) => figure(run[key]), ({ durationMs }) => figure(durationMs[key]))),
      row('data_received', ({ received }) => bytes(received), ({ bytesReceived }) => bytes(bytesReceived)),
      row('the same by the formula', ({ requests }) => bytes(receivedBytes(requests)), ({ requests }) => bytes(receivedBytes(requests))),
      row('data_sent', ({ sent }) => bytes(sent), ({ bytesSent }) => bytes(bytesSent)),
      row('the same by the formula', ({ requests }) => bytes(sentBytes(requests)), ({ requests }) => bytes(sentBytes(requests)))
    ],
    notes: [
      `Cluster compared with one process: ${gain(published.single.perSecond, published.cluster.perSecond)} in the original, which says +30%${single === undefined || cluster === undefined ? '' : `; here ${gain(rate(single), rate(cluster))}`}.`,
      ...(single === undefined || pool === undefined ? [] : [`One process with as many connections as the cluster, compared with one connection: ${gain(rate(single), rate(pool))}.`]),
      `Server, database and driver share ${environment.cores} cores here.`,
      ...(seconds !== null && seconds !== ORIGINAL_SECONDS ? [`Ours ran for ${seconds} s instead of ${ORIGINAL_SECONDS} s, so the table grew less and each request cost less.`] : []),
      ...[single, cluster].flatMap((cell) => cell === undefined ? [] : ['', `${cell.variant}, as k6 prints it:`, ...k6Lines(typical(cell))])
    ]
  }]
}
exports.gain = gain
