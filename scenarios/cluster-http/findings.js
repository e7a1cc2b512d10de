'use strict'

const { compared, contrast, withInterval } = require('../harness/report/contrast')
const { count, counted } = require('../harness/report/format')
const { MANY } = require('./plan')

/** @typedef {import('../harness/interface').Cell} Cell */
/** @typedef {import('../harness/report/contrast').Measured} Measured */

/** An event loop that is active for longer than that has no more to give. */
const FULL = 0.9

/** @param {Cell} cell of one process */
const utilization = ({ extra }) => extra.utilization1?.median ?? null
/** @param {Cell} cell */
const isFull = (cell) => Number(utilization(cell)) >= FULL
/** @param {Cell} cell */
const activity = (cell) => utilization(cell) === null ? '' : `its event loop active ${Math.round(Number(utilization(cell)) * 100)} % of the time`
/** A figure of the driver is none of the server. @param {Cell} cell */
const isDrivers = ({ extra }) => extra.driverWasBottleneck?.max > 0
/** @param {Cell} cell */
const caseOf = ({ params: { endpoint, connection, share } }) => JSON.stringify([endpoint, connection, share])
/** @param {Cell} cell */
const nameOf = ({ params: { endpoint, connection } }) => `${endpoint}${connection === 'new' ? ', a new connection for each request' : ''}`

/**
 * What was measured of one endpoint, one kind of connection and one rate.
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

/** Does a cluster help? @param {Case} of */
function ofCluster ({ name, single, find }) {
  const cluster = find('cluster')
  if (cluster === undefined) return []
  const many = `a cluster of ${cluster.params.workers}`
  const verdict = contrast(cluster, single)
  if (verdict !== 'more' && verdict !== 'less') return [`${name}: ${many} over one process: ${compared(cluster, single)}; the one process answers ${withInterval(single, single.unit)}, ${activity(single)}.`]
  const what = `${compared(cluster, single)} the requests of one process (${withInterval(single, single.unit)})`
  if (verdict === 'less') return [`${name}: ${many} harms, ${what}, ${activity(single)}.`]
  const pool = find('single-pool')
  const why = isFull(single)
    ? `that process was the limit, ${activity(single)}`
    : `that process was not at its limit, ${activity(single)}${pool !== undefined && contrast(pool, single) === 'more' ? ', and further connections alone help as well' : ''}`
  return [`${name}: ${many} helps, ${what}; ${why}.`]
}

/** Were the connections the limit? @param {Case} of */
function ofPool ({ name, single, find }) {
  const pool = find('single-pool')
  if (pool === undefined) return []
  const many = `a pool of ${pool.params.pool} connections in one process`
  const verdict = contrast(pool, single)
  const cluster = find('cluster')
  const beside = cluster === undefined ? '' : ` The cluster over that pool: ${compared(cluster, pool)}.`
  if (verdict !== 'more' && verdict !== 'less') return [`${name}: ${many} over one connection: ${compared(pool, single)}.${beside}`]
  const ratio = `${compared(pool, single)} the requests of one connection`
  if (verdict === 'less') return [`${name}: ${many} harms, ${ratio}.${beside}`]
  const enough = cluster !== undefined && contrast(cluster, pool) !== 'more' ? ', and nothing shows that a cluster would be needed' : ''
  return [`${name}: ${many} helps, ${ratio}: ${isFull(single) ? 'the one connection cost the process its time' : 'the connection was the limit'}${enough}.${beside}`]
}

/** What threads do for the loop, what a cluster does for throughput. @param {Case} of */
function ofThreads ({ name, single, find }) {
  const [threads, cluster] = [find('single-piscina'), find('cluster')]
  if (threads === undefined) return []
  const [own, before] = [threads.extra.utilization1, single.extra.utilization1]
  const isFreed = own !== undefined && before !== undefined && contrast(own, before) === 'less'
  const loop = isFreed
    ? `They keep the event loop free, ${activity(threads)} instead of ${Math.round(Number(utilization(single)) * 100)} %`
    : own === undefined || before === undefined ? '' : `How long the event loop is active, with them over without: ${compared(own, before)}`
  return [`${name}: ${threads.params.workers} threads behind one process over one process alone: ${compared(threads, single)}${cluster === undefined ? '' : `; a cluster of ${cluster.params.workers} over the threads: ${compared(cluster, threads)}`}.${loop === '' ? '' : ` ${loop}.`}`]
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
  const parts = /** @type {const} */ ([['more', 'helps '], ['less', 'harms '], ['same', ''], ['unclear', ''], ['few', '']]).flatMap(([answer, word]) =>
    pairs.filter((pair) => pair.verdict === answer).map(({ name, cluster, single }) => `${word}${name}: ${compared(cluster, single)}`))
  return `Requests that a cluster of ${pairs[0].cluster.params.workers} answers over one process: ${parts.join('; ')}.`
}

/** Latency from when requests were due, or with k6 from when they were sent. @param {Case} of @param {boolean} isK6 */
function ofOpenLoop ({ name, params, single, find }, isK6) {
  const due = single.extra.duePerSecond
  const others = ['single-pool', 'cluster', 'cluster-none', 'reuse-port', 'single-piscina'].flatMap((variant) => find(variant) ?? [])
  if (others.length === 0) return []
  const list = others.map((cell) => {
    const verdict = contrast(cell.extra.p95Ms, single.extra.p95Ms)
    const word = verdict === 'less' ? ' shortens it' : verdict === 'more' ? ' lengthens it' : ''
    return `${cell.variant} (${cell.params.pool ?? cell.params.workers})${word}: ${compared(cell.extra.p95Ms, single.extra.p95Ms)}`
  })
  return [`${name}, an open loop at ${Number(params.share) * 100} % of what one process can do${due === undefined ? '' : ` (${count(due.median)} requests due a second)`}: p95 from when a request was ${isK6 ? 'sent (k6)' : 'due'} is ${withInterval(single.extra.p95Ms, 'ms')} in one process; ${list.join('; ')}.`]
}

/**
 * One comparison over all cases, none where none was measured.
 * @param {string} title
 * @param {Case[]} cases
 * @param {(of: Case) => [Measured | undefined, Measured | undefined]} pair
 */
function overCases (title, cases, pair) {
  const list = cases.flatMap((of) => {
    const [a, b] = pair(of)
    return a === undefined || b === undefined ? [] : `${of.name}: ${compared(a, b)}`
  })
  return list.length === 0 ? [] : [`${title}: ${list.join('; ')}.`]
}

/** @param {Case[]} cases of closed loops @param {number} cores */
function ofTopologies (cases, cores) {
  const busiest = (/** @type {Cell | undefined} */ cell) => cell?.extra.busiestShare
  return [
    ...overCases('The kernel chooses who accepts (SCHED_NONE), over round robin', cases, ({ find }) => [find('cluster-none'), find('cluster')]),
    ...overCases('Processes that share a port (SO_REUSEPORT), over node:cluster', cases, ({ find }) => [find('reuse-port'), find('cluster')]),
    ...overCases('What the busiest worker answered, with SCHED_NONE over round robin', cases, ({ find }) => [busiest(find('cluster-none')), busiest(find('cluster'))]),
    ...overCases('The same with SO_REUSEPORT over round robin', cases, ({ find }) => [busiest(find('reuse-port')), busiest(find('cluster'))]),
    ...overCases('What node:cluster itself costs, one worker over one process', cases, ({ find, single }) => [find('cluster', 1), single]),
    ...(MANY === cores ? [] : overCases(`${MANY} workers over as many as there are cores (${cores})`, cases, ({ find }) => [find('cluster', MANY), find('cluster')])),
    ...(MANY === cores ? [] : overCases(`A cluster of ${MANY} over one process with ${MANY} connections`, cases, ({ find }) => [find('cluster', MANY), find('single-pool', MANY)]))
  ]
}

/** What a connection for each request costs. @param {Case[]} cases of closed loops */
const ofConnections = (cases) => ['single', 'cluster'].flatMap((variant) => overCases(`New connections over kept ones, ${variant}`, cases.filter(({ params }) => params.connection === 'kept'), (kept) => {
  const fresh = cases.find(({ params }) => params.connection === 'new' && params.endpoint === kept.params.endpoint)
  return variant === 'single' ? [fresh?.single, kept.single] : [fresh?.find(variant), kept.find(variant)]
}))

/** @param {Cell} cell */
function ofKill (cell) {
  const { failed, requests, unansweredAfterKill: left } = cell.extra
  const open = left === undefined || left.max === 0 ? '' : `; up to ${count(left.max)} of them had neither an answer nor an end: their connections stay open until the client gives up`
  return `${nameOf(cell)}: a worker that is killed half-way takes ${counted(failed.median, 'request')} with it (${count(failed.min)} to ${count(failed.max)}), of ${count(requests.median)}${open}.`
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
    ...open.flatMap((of) => ofOpenLoop(of, environment.tools.k6 !== undefined)),
    ...ofTopologies(closed, cores),
    ...ofConnections(closed),
    ...known.filter(({ variant }) => variant === 'cluster-kill').map(ofKill),
    ...(limited.length === 0 ? [] : [`The driver was the bottleneck in ${limited.join(', ')}: those figures are its own, and nothing above rests on them.`]),
    ...(known.length === 0 ? [] : [`Server, database and driver share the ${cores} cores of this machine: what a cluster gains in CPU it takes from them.`])
  ]
}
