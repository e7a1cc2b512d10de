'use strict'

const { figure } = require('../harness/format')

/** @typedef {import('../harness/interface').Cell} Cell */

/** @param {Cell} cell */
const withInterval = ({ median, ci95, unit }) => `${figure(median)} ${unit}${ci95 === null ? '' : ` (${figure(ci95[0])} to ${figure(ci95[1])})`}`

/** @param {Cell} a @param {Cell} b */
const ratio = (a, b) => `${(Number(a.median) / Number(b.median)).toFixed(2)} times`

/** What the cells say in sentences, as far as they were measured. @param {import('../harness/interface').Document} document */
exports.findings = ({ cells, environment }) => {
  const known = cells.filter(({ median }) => median !== null)
  /** @type {string[]} */
  const sentences = []
  const works = known.filter(({ params }) => params.kernel !== undefined)
  const groups = [...new Set(works.map(({ params }) => JSON.stringify(params)))].map((key) => works.filter(({ params }) => JSON.stringify(params) === key))
  for (const group of groups) sentences.push(...ofWork(group))
  if (works.length > 0) sentences.push(`Server and driver share the ${environment.cores} cores of this machine: on more of them whatever runs in parallel has more to gain.`)
  const updates = known.filter(({ params }) => params.updates !== undefined)
  for (const runtime of ['node', 'go']) sentences.push(...ofUpdates(updates.filter(({ variant }) => variant.startsWith(`${runtime}-`)), runtime === 'go' ? 'Go' : 'Node.js'))
  return [...sentences, ...ofOriginal(known)]
}

/** @param {Cell[]} group of the same work */
function ofWork (group) {
  const find = (/** @type {string} */ variant) => group.find((cell) => cell.variant === variant)
  const [main, pool, go] = ['node-main', 'node-pool', 'go-goroutines'].map(find)
  const { kernel, workMs, users } = group[0].params
  const what = `${kernel} of ${figure(Number(workMs))} ms, ${users} users`
  /** @type {string[]} */
  const sentences = []
  if (pool !== undefined && go !== undefined) sentences.push(`${what}: goroutines answer ${withInterval(go)}, a pool of threads in Node.js ${withInterval(pool)}: ${ratio(go, pool)}.`)
  if (main !== undefined && pool !== undefined && main.extra.healthP99Ms !== undefined && pool.extra.healthP99Ms !== undefined) {
    sentences.push(`${what}: a pool answers ${ratio(pool, main)} as many as the main thread alone (${withInterval(main)}), and a cheap request beside waits ${figure(pool.extra.healthP99Ms.median)} ms instead of ${figure(main.extra.healthP99Ms.median)} ms (p99${go?.extra.healthP99Ms === undefined ? '' : `; Go ${figure(go.extra.healthP99Ms.median)} ms`}).`)
  }
  const each = find('node-worker-per-request')
  if (each !== undefined && pool !== undefined) sentences.push(`${what}: a thread for each request answers ${ratio(each, pool)} what a pool does; terminated, they leave the server at ${figure(each.extra.serverToMiB.median)} MiB after ${figure(each.extra.serverFromMiB.median)} before.`)
  return sentences
}

/** @param {Cell[]} updates of one language @param {string} name */
function ofUpdates (updates, name) {
  const racy = updates.find(({ params }) => params.racy)
  const right = updates.filter(({ params }) => !params.racy).sort((a, b) => Number(b.median) - Number(a.median))
  if (right.length === 0) return []
  const list = right.map((cell) => `${cell.variant.replace(/^\w+-state-/, '')} ${withInterval(cell)}`).join(', ')
  return [`Shared counters in ${name}, none lost: ${list}.${racy === undefined ? '' : ` Without a guard ${figure(racy.extra.lostPercent.median)} % of the updates are lost.`}`]
}

/** @param {Cell[]} cells */
function ofOriginal (cells) {
  const find = (/** @type {string} */ variant) => cells.find((cell) => cell.variant === `${variant}-original` && cell.params.toggle === false)
  const [kept, ended, go] = ['node-worker-kept', 'node-worker-per-request', 'go-goroutines'].map(find)
  /** @type {string[]} */
  const sentences = []
  if (kept !== undefined && go !== undefined) sentences.push(`The original's loop: Go ends ${ratio(go, kept)} as many as Node.js. Beyond 2^31 V8 counts in doubles, an addition of which takes four cycles where an integer's takes one; threads have no part in it.`)
  if (kept !== undefined && ended !== undefined) sentences.push(`The original's memory leak is its workers, which nobody ended: the server grew by ${figure(kept.extra.serverToMiB.median - kept.extra.serverFromMiB.median)} MiB with them and by ${figure(ended.extra.serverToMiB.median - ended.extra.serverFromMiB.median)} MiB with workers that are terminated.`)
  return sentences
}
