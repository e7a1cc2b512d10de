'use strict'

const { contrast, contrastTable, ratioCells, told, withInterval } = require('../harness/report/contrast')
const { count, counted, listed } = require('../harness/report/format')
const { MANY } = require('./plan')

/** @typedef {import('../harness/interface').Cell} Cell */
/** @typedef {import('../harness/report/contrast').Measured} Measured */

/** An event loop that is active for longer than this is at its limit. */
const FULL = 0.9

/** @param {Cell} cell of one process */
const utilization = ({ extra }) => extra.utilization1?.median ?? null
/** @param {Cell} cell */
const isFull = (cell) => Number(utilization(cell)) >= FULL
/** @param {Cell} cell */
const active = (cell) => `${Math.round(Number(utilization(cell)) * 100)}%`
/** Whether the figure is the driver's and not the server's. @param {Cell} cell */
const isDrivers = ({ extra }) => extra.driverWasBottleneck?.max > 0
/** @param {Cell} cell */
const caseOf = ({ params: { endpoint, connection, share } }) => JSON.stringify([endpoint, connection, share])
/** @param {Cell} cell */
const nameOf = ({ params: { endpoint, connection } }) => `${endpoint}${connection === 'new' ? ' (new connections)' : ''}`

/**
 * The measurements of one endpoint, one kind of connection and one rate.
 * @param {Cell[]} cells
 * @param {number} cores
 */
function casesOf (cells, cores) {
  return [...new Set(cells.map(caseOf))].flatMap((key) => {
    const group = cells.filter((cell) => caseOf(cell) === key)
    /** With as many workers as cores, unless others are asked for. @param {string} variant @param {number} [workers] */
    const find = (variant, workers = Math.max(cores, 2)) =>
      group.find((cell) => cell.variant === variant && [cell.params.workers, cell.params.pool].includes(workers))
    const single = find('single', 1)
    return single === undefined ? [] : [{ name: nameOf(single), params: single.params, single, find }]
  })
}

/** @typedef {ReturnType<typeof casesOf>[number]} Case */

const requests = { more: /** @type {[string, string]} */ (['answers', 'as many requests as']), what: 'requests answered' }

/** Does a cluster help, and was the process its limit? @param {Case} of */
function ofCluster ({ name, single, find }) {
  const cluster = find('cluster')
  if (cluster === undefined) return []
  const limit = utilization(single) === null || contrast(cluster, single) === 'less'
    ? ''
    : isFull(single)
      ? ` The process was the limit: its event loop was active ${active(single)} of the time.`
      : ` The process was not the limit: its event loop was active ${active(single)} of the time.`
  return [`${name}: ${told(cluster, single, { ...requests, first: `a cluster of ${cluster.params.workers}`, second: 'one process', unit: single.unit })}${limit}`]
}

/** Were the connections the limit? @param {Case} of */
function ofPool ({ name, single, find }) {
  const pool = find('single-pool')
  if (pool === undefined) return []
  const cluster = find('cluster')
  const first = `a pool of ${pool.params.pool} connections in one process`
  return [
    `${name}: ${told(pool, single, { ...requests, first, second: 'one connection', unit: single.unit })}`,
    ...(cluster === undefined ? [] : [`${name}: ${told(cluster, pool, { ...requests, first: `a cluster of ${cluster.params.workers}`, second: first, unit: single.unit })}`])
  ]
}

/** The effect of threads on the loop, and of a cluster on throughput. @param {Case} of */
function ofThreads ({ name, single, find }) {
  const [threads, cluster] = [find('single-piscina'), find('cluster')]
  if (threads === undefined) return []
  const [own, before] = [threads.extra.utilization1, single.extra.utilization1]
  const isFreed = own !== undefined && before !== undefined && contrast(own, before) === 'less'
  const first = `one process with ${threads.params.workers} threads`
  return [
    `${name}: ${told(threads, single, { ...requests, first, second: 'one process alone', unit: single.unit })}${isFreed ? ` Threads keep its event loop free: it was active ${active(threads)} of the time instead of ${active(single)}.` : ''}`,
    ...(cluster === undefined ? [] : [`${name}: ${told(cluster, threads, { ...requests, first: `a cluster of ${cluster.params.workers}`, second: first, unit: single.unit })}`])
  ]
}

/**
 * Does a cluster help, and where?
 * @param {import('../harness/interface').Document} document
 */
exports.verdict = (document) => {
  const pairs = measuredCases(document).closed.flatMap(({ name, single, find }) => {
    const cluster = find('cluster')
    return cluster === undefined ? [] : [{ name, cluster, single, verdict: contrast(cluster, single) }]
  })
  if (pairs.length === 0) return null
  const cluster = `a cluster of ${pairs[0].cluster.params.workers}`
  const sentences = /** @type {const} */ ([
    ['more', `With *, ${cluster} answers more requests than one process.`],
    ['less', `With *, ${cluster} answers fewer requests than one process.`],
    ['same', `With *, there is no difference that matters between ${cluster} and one process.`],
    ['unclear', `With *, these runs show no clear difference between ${cluster} and one process.`],
    ['few', `Requests answered by ${cluster}, compared with one process: *.`]
  ])
  return sentences.flatMap(([answer, sentence]) => {
    const names = pairs.filter((pair) => pair.verdict === answer).map(({ name, cluster, single }) => `${name} (${ratioCells(cluster, single)[0]} times)`)
    return names.length === 0 ? [] : [sentence.replace('*', listed(names))]
  }).join(' ')
}

/** @param {Case} of an open loop @param {boolean} isK6 which has no time when a request was due */
function ofOpenLoop ({ name, params, single }, isK6) {
  const due = single.extra.duePerSecond
  return `${name}, open loop at ${Number(params.share) * 100}% of what one process can do${due === undefined ? '' : ` (${count(due.median)} requests per second)`}: in one process, the p95 from when a request was ${isK6 ? 'sent' : 'due'} is ${withInterval(single.extra.p95Ms, 'ms')}.`
}

/** @typedef {[variant: string, workers?: number]} Side with as many workers as cores, unless a number is given */

/**
 * Rows of a table of comparisons: each pair in each case.
 * @param {Case[]} cases @param {(cell: Cell | undefined) => Measured | undefined} read @param {[Side, Side][]} pairs
 */
const inCases = (cases, read, pairs) => cases.flatMap(({ name, params, single, find }) => pairs.map((pair) => {
  const [first, second] = pair
  const cellOf = (/** @type {Side} */ [variant, workers]) => variant === 'single' ? single : find(variant, workers)
  const nameIn = (/** @type {Side} */ [variant, workers]) => workers === undefined ? variant : `${variant} (${workers})`
  const where = `${name}${params.share === undefined ? '' : ` at ${Number(params.share) * 100}%`}`
  return { first: nameIn(first), second: nameIn(second), where, a: read(cellOf(first)), b: read(cellOf(second)) }
}))

/** The cost of a connection for each request. @param {Case[]} cases of closed loops */
const ofConnections = (cases) => ['single', 'cluster'].flatMap((variant) =>
  cases.filter(({ params }) => params.connection === 'kept').map((kept) => {
    const fresh = cases.find(({ params }) => params.connection === 'new' && params.endpoint === kept.params.endpoint)
    const [a, b] = variant === 'single' ? [fresh?.single, kept.single] : [fresh?.find(variant), kept.find(variant)]
    return { first: `${variant}, new connections`, second: `${variant}, kept ones`, where: kept.name, a, b }
  }))

/** @type {[Side, Side][]} */
const TOPOLOGIES = [
  [['cluster'], ['single']], [['single-pool'], ['single']], [['cluster'], ['single-pool']],
  [['single-piscina'], ['single']], [['cluster'], ['single-piscina']],
  [['cluster-none'], ['cluster']], [['reuse-port'], ['cluster']], [['cluster', 1], ['single']]
]
const MORE = /** @type {[Side, Side][]} */ ([[['cluster', MANY], ['cluster']], [['cluster', MANY], ['single-pool', MANY]]])

/**
 * Every comparison that was measured.
 * @param {import('../harness/interface').Document} document
 */
exports.tables = (document) => {
  const { closed, open } = measuredCases(document)
  const topologies = [...TOPOLOGIES, ...(MANY === document.environment.cores ? [] : MORE)]
  const openLoops = [...new Set(TOPOLOGIES.flat().map(([variant]) => variant))].filter((variant) => variant !== 'single')
  return [
    ...contrastTable('Requests answered', [...inCases(closed, (cell) => cell, topologies), ...ofConnections(closed)]),
    ...contrastTable('Share of the busiest worker', inCases(closed, (cell) => cell?.extra.busiestShare, TOPOLOGIES.slice(5, 7))),
    ...contrastTable('p95 latency in an open loop', inCases(open, (cell) => cell?.extra.p95Ms, openLoops.map((variant) => [[variant], ['single']])))
  ]
}

/** @param {Cell} cell */
function ofKill (cell) {
  const { failed, requests, unansweredAfterKill: left } = cell.extra
  const open = left === undefined || left.max === 0 ? '' : ` Up to ${count(left.max)} of them got neither an answer nor an end: their connections stay open until the client gives up.`
  return `${nameOf(cell)}: when a worker is killed halfway, ${counted(failed.median, 'request')} of ${count(requests.median)} fail${failed.min === failed.max ? '' : ` (${count(failed.min)} to ${count(failed.max)})`}.${open}`
}

/**
 * Closed loops and open ones, without figures of the driver.
 * @param {import('../harness/interface').Document} document
 */
function measuredCases ({ cells, environment: { cores } }) {
  const known = cells.filter((cell) => cell.median !== null && !isDrivers(cell) && cell.variant !== 'cluster-kill')
  const cases = casesOf(known, cores)
  return {
    closed: cases.filter(({ params }) => params.share === undefined),
    open: cases.filter(({ params }) => params.share !== undefined)
  }
}

/**
 * When what helps, by how much, as far as it was measured.
 * @param {import('../harness/interface').Document} document
 */
exports.findings = (document) => {
  const { cells, environment } = document
  const { cores } = environment
  const known = cells.filter(({ median }) => median !== null)
  const { closed, open } = measuredCases(document)
  const limited = known.filter(isDrivers).map((cell) => `${cell.variant} ${nameOf(cell)}`)
  return [
    ...closed.flatMap(ofCluster),
    ...closed.flatMap(ofPool),
    ...closed.flatMap(ofThreads),
    ...open.map((of) => ofOpenLoop(of, environment.tools.k6 !== undefined)),
    ...known.filter(({ variant }) => variant === 'cluster-kill').map(ofKill),
    ...(limited.length === 0 ? [] : [`The driver was the bottleneck in ${listed(limited)}, so those figures are not used above.`]),
    ...(known.length === 0 ? [] : [`Server, database and driver share the ${cores} cores of this machine, so a cluster takes CPU time from the other two.`])
  ]
}
