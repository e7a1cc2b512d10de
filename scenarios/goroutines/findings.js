'use strict'

const { compared, contrast, told, withInterval } = require('../harness/report/contrast')
const { count, counted, figure } = require('../harness/report/format')

/** @typedef {import('../harness/interface').Cell} Cell */
/** @typedef {import('../harness/report/contrast').Measured} Measured */
/** @typedef {{ kernel: string, workMs: number, users: number }} Work */

const MS_PER_S = 1000

/** @template T @param {T[]} values */
const distinct = (values) => [...new Set(values)]
/** @param {Cell} cell @returns {Work} */
const workOf = ({ params }) => /** @type {any} */ (params)
/** @param {Cell[]} cells @param {string} variant @param {Work} work */
const find = (cells, variant, work) =>
  cells.find(
    (cell) =>
      cell.variant === variant &&
      cell.params.kernel === work.kernel &&
      cell.params.workMs === work.workMs &&
      cell.params.users === work.users
  )
/** @param {Work} work */
const describe = ({ kernel, workMs, users }) => `${kernel} of ${workMs} ms, ${counted(users, 'user')}`

/**
 * From which work on one way is more than another: there and with everything above, not once by chance.
 * @param {{ workMs: number, a: Measured, b: Measured }[]} pairs by ascending work @param {'more' | 'less'} verdict
 */
const from = (pairs, verdict) =>
  pairs.find((_, i) => pairs.slice(i).every(({ a, b }) => contrast(a, b) === verdict)) ?? null

/**
 * @param {string} where @param {{ over: string, claim: string }} words
 * @param {{ workMs: number, a: Measured, b: Measured }[]} pairs @param {'more' | 'less'} verdict
 */
function threshold (where, { over, claim }, pairs, verdict) {
  const list = pairs.map(({ workMs, a, b }) => `at ${workMs} ms: ${compared(a, b)}`).join('; ')
  if (pairs.length === 1) return `${where}: ${over}, ${list}.`
  const first = from(pairs, verdict)
  if (first === null) return `${where}: these runs show no size from which on ${claim}; ${over}, ${list}.`
  return `${where}: ${claim} from ${first.workMs} ms of work on${first === pairs[0] ? ', the smallest measured' : ''}; ${over}, ${list}.`
}

/**
 * When do threads beat the main thread, for who asks and for everyone else?
 * @param {Cell[]} works
 * @param {string} kernel
 * @param {number} users
 */
function ofMain (works, kernel, users) {
  const measured = distinct(works.map((cell) => workOf(cell).workMs)).sort((a, b) => a - b).flatMap((workMs) => {
    const [a, b] = ['node-pool', 'node-main'].map((variant) => find(works, variant, { kernel, workMs, users }))
    return a === undefined || b === undefined ? [] : { workMs, a, b }
  })
  if (measured.length === 0) return []
  const health = measured.flatMap(({ workMs, a, b }) =>
    a.extra.healthP99Ms === undefined || b.extra.healthP99Ms === undefined
      ? []
      : { workMs, a: a.extra.healthP99Ms, b: b.extra.healthP99Ms }
  )
  const where = `${kernel}, ${counted(users, 'user')}`
  return [
    threshold(where, { over: 'a pool over the main thread', claim: 'a pool of threads answers more than the main thread' }, measured, 'more'),
    ...(health.length === 0 ? [] : [threshold(where, { over: 'the p99 of a cheap request beside a pool over that beside the main thread', claim: 'a cheap request waits less beside a pool of threads' }, health, 'less')])
  ]
}

/** A thread for each request against a pool of them. @param {Cell[]} works @param {string} kernel */
function ofThreads (works, kernel) {
  const pairs = works.filter(({ variant, params }) => variant === 'node-worker-per-request' && params.kernel === kernel).flatMap((each) => find(works, 'node-pool', workOf(each)) === undefined ? [] : { each, pool: /** @type {Cell} */ (find(works, 'node-pool', workOf(each))) })
  if (pairs.length === 0) return []
  const alone = pairs.find(({ each }) => each.params.users === 1)
  const costMs =
    alone === undefined || contrast(alone.each, alone.pool) !== 'less' ? null : MS_PER_S / Number(alone.each.median) - MS_PER_S / Number(alone.pool.median)
  const list = pairs.map(({ each, pool }) => `${describe(workOf(each))}: ${compared(each, pool)}`).join('; ')
  const most = pairs.reduce((a, b) => Number(a.each.params.users) > Number(b.each.params.users) ? a : b).each
  return [
    `A thread for each request over a pool of threads: ${list}.`,
    ...(costMs === null ? [] : [`To start and end a thread costs one user ${figure(costMs)} ms a request, by the medians.`]),
    `Threads for each request, terminated: with ${counted(Number(most.params.users), 'user')} the server grew from ${figure(most.extra.serverFromMiB?.median)} to ${figure(most.extra.serverToMiB?.median)} MiB, and had ${figure(most.extra.serverPeakMiB?.median)} at its peak.`
  ]
}

/**
 * @param {string} title
 * @param {Cell[]} works
 * @param {[string, string]} variants
 * @param {Work[]} all
 * @param {(work: Work) => string} name
 */
function listed (title, works, [a, b], all, name) {
  const pairs = all.flatMap((work) => {
    const [of, over] = [find(works, a, work), find(works, b, work)]
    return of === undefined || over === undefined ? [] : { name: name(work), of, over, answer: contrast(of, over) }
  })
  if (pairs.length === 0) return []
  const more = pairs.filter(({ answer }) => answer === 'more').map(({ name, of, over }) => `${name} ${compared(of, over)}`)
  const less = pairs.filter(({ answer }) => answer === 'less').map(({ name, of, over }) => `${name} ${compared(over, of)}`)
  const others = pairs.filter(({ answer }) => answer !== 'more' && answer !== 'less')
  const parts = [
    ...(more.length === 0 ? [] : [`Go answers more with ${more.join(', ')}`]),
    ...(less.length === 0 ? [] : [`Node.js answers more with ${less.join(', ')}`]),
    ...others.map(({ name, of, over }) => `${name}: ${compared(of, over)}`)
  ]
  return [`${title}: ${parts.join('; ')}.`]
}

/** Where does Go beat Node.js? @param {Cell[]} works */
function ofLanguages (works) {
  const all = distinct(works.map((cell) => JSON.stringify(workOf(cell)))).map(
    (text) => /** @type {Work} */ (JSON.parse(text))
  )
  const base = baseOf(works)
  const series = [
    { title: `Goroutines over a pool of threads, ${base.workMs} ms, ${counted(base.users, 'user')}`, of: all.filter(({ workMs, users }) => workMs === base.workMs && users === base.users), name: (/** @type {Work} */ { kernel }) => kernel },
    ...distinct(all.map(({ kernel }) => kernel)).map((kernel) => ({ title: `The same with ${kernel} of other sizes`, of: all.filter((work) => work.kernel === kernel && work.workMs !== base.workMs && work.users === base.users).sort((a, b) => a.workMs - b.workMs), name: (/** @type {Work} */ { workMs }) => `${workMs} ms` })),
    { title: 'The same with other numbers of users', of: all.filter(({ users }) => users !== base.users).sort((a, b) => a.users - b.users), name: (/** @type {Work} */ work) => describe(work) }
  ]
  return series.flatMap(({ title, of, name }) => listed(title, works, ['go-goroutines', 'node-pool'], of, name))
}

/** The work that most variants did, and most kinds of work share their size with. @param {Cell[]} works at least one */
function baseOf (works) {
  const weight = (/** @type {Cell} */ cell) =>
    works.filter(({ params }) => params.workMs === cell.params.workMs && params.users === cell.params.users).length *
      100 +
    works.filter(({ params }) => JSON.stringify(params) === JSON.stringify(cell.params)).length
  return workOf(works.reduce((best, cell) => weight(cell) > weight(best) ? cell : best))
}

/** All ways to do the same work: who answers most, and what everyone else waits for. @param {Cell[]} works */
function ofWays (works) {
  const base = baseOf(works)
  const group = works.filter(
    ({ params }) => params.kernel === base.kernel && params.workMs === base.workMs && params.users === base.users
  )
  const pool = group.find(({ variant }) => variant === 'node-pool')
  const others = group.filter((cell) => cell !== pool)
  if (pool === undefined || others.length === 0) return []
  const health = pool.extra.healthP99Ms
  const waiting = others.filter(({ extra }) => extra.healthP99Ms !== undefined)
  return [
    `${describe(base)}: a pool of threads answers ${withInterval(pool, pool.unit)}. Over it ${others.map((cell) => `${cell.variant}: ${compared(cell, pool)}`).join('; ')}.`,
    ...(health === undefined || waiting.length === 0 ? [] : [`${describe(base)}: beside the pool a cheap request waits ${withInterval(health, 'ms')} (p99). Over that ${waiting.map((cell) => `${cell.variant}: ${compared(cell.extra.healthP99Ms, health)}`).join('; ')}.`])
  ]
}

/** Memory by users. @param {Cell[]} works */
function ofMemory (works) {
  const users = Math.max(...works.map((cell) => workOf(cell).users))
  const group = works.filter((cell) => workOf(cell).users === users && cell.extra.kibPerUser !== undefined && cell.variant !== 'node-worker-kept')
  return users < 100 || group.length === 0 ? [] : [`What each of ${count(users)} users adds to the server's memory at its peak: ${group.map((cell) => `${cell.variant} ${withInterval(cell.extra.kibPerUser, 'KiB')}${cell.params.kernel === 'float' && cell.params.workMs === 1 ? '' : ` (${describe(workOf(cell))})`}`).join(', ')}.`]
}

/** Which way to share counters? @param {Cell[]} updates of one language @param {string} name */
function ofUpdates (updates, name) {
  const racy = updates.find(({ params }) => params.racy)
  const lost = racy === undefined ? '' : ` Without a guard ${figure(racy.extra.lostPercent?.median)} % of the updates are lost.`
  const [best, ...others] = bestFirst(updates)
  if (best === undefined) return []
  const way = (/** @type {Cell} */ cell) => cell.variant.replace(/^\w+-state-/, '')
  if (others.length === 0) return [`Shared counters in ${name}: ${way(best)} ${withInterval(best, best.unit)}.${lost}`]
  const fastest = others.every((cell) => contrast(best, cell) === 'more') ? `${way(best)} is the fastest and` : way(best)
  return [`Shared counters in ${name}, none lost: ${fastest} makes ${withInterval(best, best.unit)}. Over the others: ${others.map((cell) => `${way(cell)}: ${compared(best, cell)}`).join('; ')}.${lost}`]
}

/** @param {Cell[]} updates */
const bestFirst = (updates) =>
  updates.filter(({ params }) => !params.racy).sort((a, b) => Number(b.median) - Number(a.median))

/** @param {Cell[]} cells */
function ofOriginal (cells) {
  const named = (/** @type {string} */ variant) => cells.find((cell) => cell.variant === `${variant}-original` && cell.params.toggle === false)
  const [kept, ended, go] = ['node-worker-kept', 'node-worker-per-request', 'go-goroutines'].map(named)
  const grown = (/** @type {Cell} */ { extra }) => figure(extra.serverToMiB.median - extra.serverFromMiB.median)
  return [
    ...(kept !== undefined && go !== undefined ? [`The original's loop, Go over Node.js: ${compared(go, kept)}. Beyond 2^31 V8 counts in doubles, an addition of which takes four cycles where an integer's takes one; threads have no part in it.`] : []),
    ...(kept !== undefined && ended !== undefined ? [`The original's memory leak is its workers, which nobody ended: the server grew by ${grown(kept)} MiB with them and by ${grown(ended)} MiB with workers that are terminated.`] : [])
  ]
}

/** @param {Cell[]} cells what is no figure of the driver, which is none of the server */
const measuredWorks = (cells) => cells.filter(({ median, extra, params }) =>
  median !== null && !(extra.driverWasBottleneck?.max > 0) && params.kernel !== undefined)

/**
 * Threads or goroutines?
 * @param {import('../harness/interface').Document} document
 */
exports.verdict = ({ cells }) => {
  const works = measuredWorks(cells)
  if (works.length === 0) return null
  const base = baseOf(works)
  const [main, pool, go] = ['node-main', 'node-pool', 'go-goroutines'].map((variant) => find(works, variant, base))
  if (pool === undefined || (main === undefined && go === undefined)) return null
  const work = describe(base)
  return [
    ...(main === undefined ? [] : [told(pool, main, { of: `${work}, in a pool of threads over on the main thread`, more: `${work}: do it in a pool of threads, which answers more than the main thread`, less: `${work}: do it on the main thread, a pool of threads answers less` })]),
    ...(go === undefined ? [] : [told(go, pool, { of: 'Goroutines over that pool', more: 'Goroutines answer more than that pool', less: 'Goroutines answer less than that pool' })])
  ].join(' ')
}

/** When which, and by how much, as far as it was measured. @param {import('../harness/interface').Document} document */
exports.findings = ({ cells, environment: { cores } }) => {
  // A figure of the driver is none of the server.
  const known = cells.filter(({ median, extra }) => median !== null && !(extra.driverWasBottleneck?.max > 0))
  const limited = cells.filter(({ extra }) => extra.driverWasBottleneck?.max > 0)
  const works = measuredWorks(cells)
  const updates = known.filter(({ params }) => params.updates !== undefined)
  const [ofNode, ofGo] = ['node-', 'go-'].map((prefix) => updates.filter(({ variant }) => variant.startsWith(prefix)))
  const [node, go] = [bestFirst(ofNode)[0], bestFirst(ofGo)[0]]
  const kernels = distinct(works.map((cell) => workOf(cell).kernel))
  const users = distinct(works.map((cell) => workOf(cell).users)).sort((a, b) => a - b)
  return [
    ...(works.length === 0 ? [] : ofWays(works)),
    ...kernels.flatMap((kernel) => users.flatMap((count) => ofMain(works, kernel, count))),
    ...(works.length === 0 ? [] : ofLanguages(works)),
    ...kernels.slice(0, 1).flatMap((kernel) => ofThreads(works, kernel)),
    ...(works.length === 0 ? [] : ofMemory(works)),
    ...ofUpdates(ofNode, 'Node.js'),
    ...ofUpdates(ofGo, 'Go'),
    ...(node === undefined || go === undefined ? [] : [`Go's fastest counters over Node.js' fastest: ${compared(go, node)}.`]),
    ...ofOriginal(known),
    ...(limited.length === 0 ? [] : [`The driver was the bottleneck in ${limited.map(({ variant }) => variant).join(', ')}: those figures are its own, and nothing above rests on them.`]),
    ...(works.length === 0 ? [] : [`Server and driver share the ${cores} cores of this machine: on more of them whatever runs in parallel has more to gain.`])
  ]
}
