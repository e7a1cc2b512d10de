'use strict'

const { figure } = require('../harness/format')

/** @typedef {import('../harness/interface').Cell} Cell */

/** @param {Cell} cell */
const where = ({ params }) => `the ${params.server} server${params.handler === 'trivial' ? '' : ` (${params.handler})`}`
/** None for a single run. @param {Cell} cell */
const interval = ({ ci95, min, max, samples }) =>
  samples.length === 1 ? '' : ci95 === null ? ` (${figure(min)} to ${figure(max)})` : ` (95 %: ${figure(ci95[0])} to ${figure(ci95[1])})`

/** What the cells say in sentences. @param {import('../harness/interface').Document} document */
exports.findings = ({ cells, mode }) => {
  const measured = cells.filter(({ median }) => median !== null)
  const loaded = measured.filter(({ params }) => params.handler !== 'idle')
  const noise = loaded.find(({ variant }) => variant === 'nothing')
  return [
    ...(noise === undefined || mode === 'full' ? [] : [`Two unwatched servers beside each other differ by ${figure(noise.median)}${interval(noise)}: what lies within that is noise.`]),
    // Of a hundred cells the tables by watcher tell.
    ...(mode === 'full' ? [] : loaded).filter((cell) => cell !== noise).map((cell) =>
      `With ${cell.variant} ${where(cell)} answers ${figure(cell.median)} times as many requests as unwatched${interval(cell)}, with ${figure(cell.extra.cpuRatio?.median)} times the CPU time each and ${figure(cell.extra.p99Ratio?.median)} times the p99 latency.`),
    ...measured.filter(({ params }) => params.handler === 'idle').map((cell) =>
      `With ${cell.variant} an idle server takes ${figure(cell.median)} % of a core${interval(cell)} and ${figure(cell.extra.rssMb?.median)} MB more; setting it up takes ${figure(cell.extra.startMs?.median)} ms.`)
  ]
}
