'use strict'

const { compared, contrast, times, withInterval } = require('../harness/report/contrast')
const { figure } = require('../harness/report/format')
const { MANY } = require('./plan')

/** @typedef {import('../harness/interface').Cell} Cell */

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
  const ratio = times(cluster, single)
  const many = `a cluster of ${cluster.params.workers}`
  const pool = find('single-pool')
  switch (contrast(cluster, single)) {
    case 'more': {
      const why = isFull(single)
        ? `that process was the limit, ${activity(single)}`
        : `that process was not at its limit, ${activity(single)}${pool !== undefined && contrast(pool, single) === 'more' ? ', and further connections alone help as well' : ''}`
      return [`${name}: ${many} helps, ${ratio} the requests of one process (${withInterval(single, single.unit)}); ${why}.`]
    }
    case 'less': return [`${name}: ${many} harms, ${ratio} the requests of one process (${withInterval(single, single.unit)}), ${activity(single)}.`]
    case 'unclear': return [`${name}: these runs cannot tell whether ${many} helps: ${ratio} the requests of one process (${withInterval(single, single.unit)}), ${activity(single)}.`]
    default: return [`${name}: ${many} answered ${ratio} what one process did, too few runs to tell whether that is more than chance.`]
  }
}

/** Were the connections the limit? @param {Case} of */
function ofPool ({ name, single, find }) {
  const pool = find('single-pool')
  if (pool === undefined) return []
  const many = `a pool of ${pool.params.pool} connections in one process`
  const ratio = `${times(pool, single)} the requests of one connection`
  const verdict = contrast(pool, single)
  const cluster = find('cluster')
  const beside = cluster === undefined ? '' : ` The cluster over that pool: ${compared(cluster, pool)}.`
  if (verdict === 'more') {
    const enough = cluster !== undefined && contrast(cluster, pool) !== 'more' ? ', and nothing shows that a cluster would be needed' : ''
    return [`${name}: ${many} helps, ${ratio}: ${isFull(single) ? 'the one connection cost the process its time' : 'the connection was the limit'}${enough}.${beside}`]
  }
  if (verdict === 'less') return [`${name}: ${many} harms, ${ratio}.${beside}`]
  return [`${name}: these runs cannot tell whether ${many} helps: ${ratio}${verdict === 'few' ? ', too few of them' : ''}.${beside}`]
}

/** What threads do for the loop, what a cluster does for throughput. @param {Case} of */
function ofThreads ({ name, single, find }) {
  const [threads, cluster] = [find('single-piscina'), find('cluster')]
  if (threads === undefined) return []
  const delay = (/** @type {Cell} */ { caller }) => caller === null ? 'unknown' : `${figure(caller.delayP99Ms)} ms`
  const [own, before] = [threads.extra.utilization1, single.extra.utilization1]
  const isFreed = own !== undefined && before !== undefined && contrast(own, before) === 'less'
  const loop = isFreed ? `They keep the event loop free, ${activity(threads)} instead of ${Math.round(Number(utilization(single)) * 100)} %` : 'Nothing shows that they keep the event loop free'
  return [`${name}: ${threads.params.workers} threads behind one process over one process alone: ${compared(threads, single)}${cluster === undefined ? '' : `; a cluster of ${cluster.params.workers} over the threads: ${compared(cluster, threads)}`}. ${loop}: delays of the loop, p99, ${delay(threads)} with threads, ${delay(single)} without${cluster === undefined ? '' : `, ${delay(cluster)} in the cluster`}.`]
}

/** Latency from when requests were due, or with k6 from when they were sent. @param {Case} of @param {boolean} isK6 */
function ofOpenLoop ({ name, params, single, find }, isK6) {
  const due = single.extra.duePerSecond
  const others = ['single-pool', 'cluster', 'cluster-none', 'reuse-port', 'single-piscina'].flatMap((variant) => find(variant) ?? [])
  if (others.length === 0) return []
  const list = others.map((cell) => {
    const verdict = contrast(cell.extra.p95Ms, single.extra.p95Ms)
    const word = verdict === 'less' ? 'shortens it: ' : verdict === 'more' ? 'lengthens it: ' : ''
    return `${cell.variant} (${cell.params.pool ?? cell.params.workers}) ${word}${compared(cell.extra.p95Ms, single.extra.p95Ms)}`
  })
  return [`${name}, an open loop at ${Number(params.share) * 100} % of what one process can do${due === undefined ? '' : ` (${figure(due.median)} requests due a second)`}: p95 from when a request was ${isK6 ? 'sent (k6)' : 'due'} is ${withInterval(single.extra.p95Ms, 'ms')} in one process; ${list.join('; ')}.`]
}

/**
 * One comparison over all cases, none where none was measured.
 * @param {string} title
 * @param {Case[]} cases
 * @param {(of: Case) => [Cell | undefined, Cell | undefined]} pair
 */
function overCases (title, cases, pair) {
  const list = cases.flatMap((of) => {
    const [a, b] = pair(of)
    return a === undefined || b === undefined ? [] : `${of.name} ${compared(a, b)}`
  })
  return list.length === 0 ? [] : [`${title}: ${list.join('; ')}.`]
}

/** @param {Case[]} cases of closed loops @param {number} cores */
function ofTopologies (cases, cores) {
  const share = (/** @type {string} */ variant) =>
    Math.max(0, ...cases.map(({ find }) => find(variant)?.extra.busiestShare?.median ?? 0))
  const uneven = share('cluster-none') === 0 ? [] : [`The busiest worker answered up to ${figure(share('cluster-none'))} times its share with SCHED_NONE, up to ${figure(share('cluster'))} times with round robin${share('reuse-port') === 0 ? '' : `, up to ${figure(share('reuse-port'))} times with SO_REUSEPORT`}.`]
  return [
    ...overCases('The kernel chooses who accepts (SCHED_NONE), over round robin', cases, ({ find }) => [find('cluster-none'), find('cluster')]),
    ...overCases('Processes that share a port (SO_REUSEPORT), over node:cluster', cases, ({ find }) => [find('reuse-port'), find('cluster')]),
    ...uneven,
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
  const open = left === undefined || left.max === 0 ? '' : `; up to ${figure(left.max)} of them had neither an answer nor an end: their connections stay open until the client gives up`
  return `${nameOf(cell)}: a worker that is killed half-way takes ${figure(failed.median)} requests with it (${figure(failed.min)} to ${figure(failed.max)}), of ${figure(requests.median)}${open}.`
}

/**
 * When what helps, by how much, as far as it was measured.
 * @param {import('../harness/interface').Document} document
 */
exports.findings = ({ cells, environment }) => {
  const { cores } = environment
  const known = cells.filter(({ median }) => median !== null)
  const cases = casesOf(known.filter((cell) => !isDrivers(cell) && cell.variant !== 'cluster-kill'), cores)
  const [closed, open] = [
    cases.filter(({ params }) => params.share === undefined),
    cases.filter(({ params }) => params.share !== undefined)
  ]
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
