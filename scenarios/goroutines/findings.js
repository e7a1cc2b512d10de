'use strict'

const { contrast, contrastTable, told, withInterval } = require('../harness/report/contrast')
const { count, counted, figure, listed } = require('../harness/report/format')

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

/** @param {Cell[]} works */
const kernelsOf = (works) => distinct(works.map((cell) => workOf(cell).kernel))
/** @param {Cell[]} works */
const usersOf = (works) => distinct(works.map((cell) => workOf(cell).users)).sort((a, b) => a - b)

/** How a pool and the main thread are compared. */
const answers = { first: 'a pool of threads', second: 'the main thread', more: /** @type {[string, string]} */ (['answers', 'as many requests as']), what: 'requests answered' }
const waits = { first: 'a cheap request next to a pool of threads', second: 'a cheap request next to a busy main thread', more: /** @type {[string, string]} */ (['waits', 'as long as']), what: 'p99 latency' }

/**
 * When do threads beat the main thread, for those who ask and for everyone else?
 * @param {Cell[]} works
 * @param {string} kernel
 * @param {number} users
 */
function ofMain (works, kernel, users) {
  const measured = distinct(works.map((cell) => workOf(cell).workMs)).sort((a, b) => a - b).flatMap((workMs) => {
    const [a, b] = ['node-pool', 'node-main'].map((variant) => find(works, variant, { kernel, workMs, users }))
    return a === undefined || b === undefined ? [] : { workMs, a, b }
  })
  const health = measured.flatMap(({ workMs, a: { extra: a }, b: { extra: b } }) =>
    a.healthP99Ms === undefined || b.healthP99Ms === undefined ? [] : { workMs, a: a.healthP99Ms, b: b.healthP99Ms })
  /**
   * @param {{ workMs: number, a: Measured, b: Measured }[]} pairs @param {'more' | 'less'} verdict
   * @param {string} claim @param {Parameters<typeof told>[2]} words
   */
  const sentence = (pairs, verdict, claim, words) => {
    if (pairs.length === 0) return []
    const where = describe({ kernel, workMs: pairs[0].workMs, users })
    if (pairs.length === 1) return [`${where}: ${told(pairs[0].a, pairs[0].b, words)}`]
    const first = from(pairs, verdict)
    return [`${kernel}, ${counted(users, 'user')}: ${first === null ? `These runs show no amount of work from which on ${claim}.` : `From ${first.workMs} ms of work on, ${claim}.`}`]
  }
  return [
    ...sentence(measured, 'more', 'a pool of threads answers more requests than the main thread', { ...answers, unit: 'requests/s' }),
    ...sentence(health, 'less', 'a cheap request waits less next to a pool of threads than next to the main thread', { ...waits, unit: 'ms' })
  ]
}

/** A thread for each request. @param {Cell[]} works @param {string} kernel */
function ofThreads (works, kernel) {
  const each = works.filter(({ variant, params }) => variant === 'node-worker-per-request' && params.kernel === kernel)
  if (each.length === 0) return []
  const alone = each.find(({ params }) => params.users === 1)
  const pool = alone && find(works, 'node-pool', workOf(alone))
  const costMs = alone === undefined || pool === undefined || contrast(alone, pool) !== 'less' ? null : MS_PER_S / Number(alone.median) - MS_PER_S / Number(pool.median)
  const most = each.reduce((a, b) => Number(a.params.users) > Number(b.params.users) ? a : b)
  return [
    ...(costMs === null ? [] : [`Starting and ending a thread costs one user ${figure(costMs)} ms per request.`]),
    `With a thread for each request, terminated afterwards, and ${counted(Number(most.params.users), 'user')}, the server grew from ${figure(most.extra.serverFromMiB?.median)} to ${figure(most.extra.serverToMiB?.median)} MiB and peaked at ${figure(most.extra.serverPeakMiB?.median)} MiB.`
  ]
}

/** With which work of the same size does Go beat Node.js? @param {Cell[]} works */
function ofLanguages (works) {
  const { workMs, users } = baseOf(works)
  const pairs = kernelsOf(works).flatMap((kernel) => {
    const [go, pool] = ['go-goroutines', 'node-pool'].map((variant) => find(works, variant, { kernel, workMs, users }))
    return go === undefined || pool === undefined ? [] : { kernel, answer: contrast(go, pool) }
  })
  const sentences = /** @type {const} */ ([
    ['more', 'Goroutines answer more requests than a pool of threads with'],
    ['less', 'A pool of threads answers more requests than goroutines with'],
    ['same', 'Goroutines and a pool of threads answer about as many requests with'],
    ['unclear', 'These runs show no clear difference between goroutines and a pool of threads with']
  ])
  return sentences.flatMap(([answer, sentence]) => {
    const kernels = pairs.filter((pair) => pair.answer === answer).map(({ kernel }) => kernel)
    return kernels.length === 0 ? [] : [`${workMs} ms, ${counted(users, 'user')}: ${sentence} ${listed(kernels)}.`]
  })
}

/** The work that most variants did, and most kinds of work share their size with. @param {Cell[]} works at least one */
function baseOf (works) {
  const weight = (/** @type {Cell} */ cell) =>
    works.filter(({ params }) => params.workMs === cell.params.workMs && params.users === cell.params.users).length *
      100 +
    works.filter(({ params }) => JSON.stringify(params) === JSON.stringify(cell.params)).length
  return workOf(works.reduce((best, cell) => weight(cell) > weight(best) ? cell : best))
}

/**
 * Every comparison that was measured, and what a user costs in memory.
 * @param {import('../harness/interface').Document} document
 */
exports.tables = ({ cells }) => {
  const works = measuredWorks(cells)
  const keys = distinct(works.map((cell) => JSON.stringify(workOf(cell))))
  const all = keys.map((key) => /** @type {Work} */ (JSON.parse(key)))
  const base = works.length === 0 ? null : baseOf(works)
  const ways = base === null ? [] : distinct(works.map(({ variant }) => variant)).filter((variant) => variant !== 'node-pool')
  const others = all.filter((work) => describe(work) !== (base && describe(base)))
  /** @param {(cell: Cell | undefined) => Measured | undefined} read */
  const pairs = (read) => [
    ...ways.map((variant) => ({ variant, work: /** @type {Work} */ (base) })),
    ...others.flatMap((work) => ['node-main', 'node-worker-per-request', 'go-goroutines'].map((variant) => ({ variant, work })))
  ].map(({ variant, work }) => ({ first: variant, second: 'node-pool', where: describe(work), a: read(find(works, variant, work)), b: read(find(works, 'node-pool', work)) }))
  const counters = ['node-', 'go-'].flatMap((prefix) => {
    const [best, ...rest] = bestFirst(updatesOf(cells).filter(({ variant }) => variant.startsWith(prefix)))
    return rest.map((cell) => ({ first: best.variant, second: cell.variant, where: 'shared counters', a: best, b: cell }))
  })
  const users = Math.max(...usersOf(works))
  const memory = works.filter((cell) => users >= 100 && workOf(cell).users === users && cell.extra.kibPerUser !== undefined && cell.variant !== 'node-worker-kept')
  return [
    ...contrastTable('Requests answered', pairs((cell) => cell)),
    ...contrastTable('p99 of a cheap request at the same time', pairs((cell) => cell?.extra.healthP99Ms)),
    ...contrastTable('Updates of shared counters', counters),
    ...(memory.length === 0
      ? []
      : [{ title: `Memory that each of ${count(users)} users adds to the server at its peak`, head: ['variant', 'work', 'KiB'], keep: 2, rows: memory.map((cell) => [cell.variant, describe(workOf(cell)), withInterval(cell.extra.kibPerUser, 'KiB')]) }])
  ]
}

/** Which way to share counters? @param {Cell[]} updates of one language @param {string} name */
function ofUpdates (updates, name) {
  const lost = updates.find(({ params }) => params.racy)?.extra.lostPercent
  const [best, ...others] = bestFirst(updates)
  if (best === undefined) return []
  const figures = `${best.variant.replace(/^\w+-state-/, '')} makes ${withInterval(best, best.unit)}`
  const isFastest = others.length > 0 && others.every((cell) => contrast(best, cell) === 'more')
  return [
    `Shared counters in ${name}: ${figures}${isFastest ? ', more than any other way that loses no update' : ''}.`,
    ...(lost === undefined ? [] : [`Shared counters in ${name}: without a guard, ${figure(lost.median)}% of the updates are lost.`])
  ]
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
    ...(kept === undefined || go === undefined
      ? []
      : [
          `The original's loop: ${told(go, kept, { first: 'Go', second: 'Node.js', more: ['completes', 'as many iterations as'], what: 'iterations', unit: kept.unit })}`,
          'The ratio comes from the loop and not from threads: beyond 2^31 V8 counts in doubles, whose addition takes four cycles instead of one.'
        ]),
    ...(kept === undefined || ended === undefined ? [] : [`The original's memory leak is workers that nobody terminates: the server grew by ${grown(kept)} MiB with them, and by ${grown(ended)} MiB with terminated ones.`])
  ]
}

/** Without figures that are the driver's and not the server's. @param {Cell[]} cells */
const measuredWorks = (cells) => cells.filter(({ median, extra, params }) =>
  median !== null && !(extra.driverWasBottleneck?.max > 0) && params.kernel !== undefined)

/** @param {Cell[]} cells */
const updatesOf = (cells) => cells.filter(({ median, params }) => median !== null && params.updates !== undefined)

/**
 * Threads or goroutines?
 * @param {import('../harness/interface').Document} document
 */
exports.verdict = ({ cells }) => {
  const works = measuredWorks(cells)
  if (works.length === 0) return ofOriginal(cells.filter(({ median }) => median !== null))[0] ?? null
  const base = baseOf(works)
  const [main, pool, go] = ['node-main', 'node-pool', 'go-goroutines'].map((variant) => find(works, variant, base))
  if (pool === undefined || (main === undefined && go === undefined)) return null
  const work = describe(base)
  return [
    ...(main === undefined ? [] : [`${work}: ${told(pool, main, { ...answers, unit: pool.unit })}`]),
    ...(go === undefined ? [] : [told(go, pool, { ...answers, first: 'a Go server with goroutines', second: 'that pool', unit: pool.unit })])
  ].join(' ')
}

/**
 * The results of the measured cells in sentences.
 * @param {import('../harness/interface').Document} document
 */
exports.findings = ({ cells, environment: { cores } }) => {
  const known = cells.filter(({ median, extra }) => median !== null && !(extra.driverWasBottleneck?.max > 0))
  const limited = cells.filter(({ extra }) => extra.driverWasBottleneck?.max > 0)
  const works = measuredWorks(cells)
  const [ofNode, ofGo] = ['node-', 'go-'].map((prefix) => updatesOf(cells).filter(({ variant }) => variant.startsWith(prefix)))
  const [node, go] = [bestFirst(ofNode)[0], bestFirst(ofGo)[0]]
  const kernels = kernelsOf(works)
  return [
    ...kernels.flatMap((kernel) => usersOf(works).flatMap((users) => ofMain(works, kernel, users))),
    ...(works.length === 0 ? [] : ofLanguages(works)),
    ...kernels.slice(0, 1).flatMap((kernel) => ofThreads(works, kernel)),
    ...ofUpdates(ofNode, 'Node.js'),
    ...ofUpdates(ofGo, 'Go'),
    ...(node === undefined || go === undefined ? [] : [told(go, node, { first: 'the fastest way to share counters in Go', second: 'the fastest way to share counters in Node.js', more: ['makes', 'as many updates as'], what: 'updates', unit: node.unit })]),
    ...ofOriginal(known),
    ...(limited.length === 0 ? [] : [`The driver was the bottleneck in ${listed(limited.map(({ variant }) => variant))}, so those figures are not used above.`]),
    ...(works.length === 0 ? [] : [`Server and driver share the ${cores} cores of this machine. With more cores, whatever runs in parallel has more to gain.`])
  ]
}
