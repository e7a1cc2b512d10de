'use strict'

const { figure } = require('../harness/format')

/** @typedef {import('../harness/interface').Cell} Cell */

/** @param {Cell} cell */
const withInterval = ({ median, ci95, unit }) => `${figure(median)} ${unit}${ci95 === null ? '' : ` (${figure(ci95[0])} to ${figure(ci95[1])})`}`

/** @param {Cell} a @param {Cell} b */
const ratio = (a, b) => `${(Number(a.median) / Number(b.median)).toFixed(2)} times`

/** @param {Cell} a @param {Cell} b whether their intervals are apart: otherwise nobody knows which is faster */
const differ = (a, b) => a.ci95 !== null && b.ci95 !== null && (a.ci95[0] > b.ci95[1] || b.ci95[0] > a.ci95[1])

/** @param {Cell} a @param {Cell} b */
const verdict = (a, b) => `${ratio(a, b)}${a.ci95 === null || b.ci95 === null ? ', too few runs for an interval' : differ(a, b) ? '' : ', no difference that these runs can tell'}`

/** @param {Cell} cell */
const keyOf = ({ params: { endpoint, users, connection, rate } }) => JSON.stringify([endpoint, users, connection, rate])

/** What the cells say in sentences, as far as they were measured. @param {import('../harness/interface').Document} document */
exports.findings = ({ cells, environment }) => {
  const known = cells.filter(({ median }) => median !== null)
  /** @type {string[]} */
  const sentences = []
  for (const key of new Set(known.map(keyOf))) {
    const group = known.filter((cell) => keyOf(cell) === key)
    const single = group.find(({ variant }) => variant === 'single')
    if (single === undefined) continue
    const { endpoint, connection, rate } = single.params
    const others = group.filter((cell) => cell !== single && cell.variant !== 'cluster-kill')
    if (others.length === 0) continue
    const what = `${endpoint}${connection === 'new' ? ', a connection for each request' : ''}${rate === undefined ? '' : `, ${rate} requests due a second`}`
    const list = others.map((cell) => rate === undefined
      ? `${cell.variant} (${cell.params.workers}) ${withInterval(cell)}, ${verdict(cell, single)}`
      : `${cell.variant} (${cell.params.workers}) p95 ${figure(cell.extra.p95Ms.median)} ms`).join('; ')
    sentences.push(`${what}: one process with one connection ${rate === undefined ? withInterval(single) : `p95 ${figure(single.extra.p95Ms.median)} ms`}; ${list}.`)
  }
  const kill = known.find(({ variant }) => variant === 'cluster-kill')
  if (kill !== undefined) sentences.push(`A worker that is killed takes ${figure(kill.extra.failed.median)} requests with it (${figure(kill.extra.failed.min)} to ${figure(kill.extra.failed.max)}), of ${figure(kill.extra.requests.median)}: those under way on its connections.`)
  const slow = known.filter(({ extra }) => extra.driverWasBottleneck?.max > 0).map(({ variant, params }) => `${variant} ${params.endpoint}`)
  if (slow.length > 0) sentences.push(`The driver was the bottleneck in ${slow.join(', ')}: those figures are its own.`)
  if (known.length > 0) sentences.push(`Server, database and driver share the ${environment.cores} cores of this machine: what a cluster gains in CPU it takes from them.`)
  return sentences
}
