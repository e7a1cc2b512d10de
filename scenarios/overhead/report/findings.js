'use strict'

const { figure } = require('../../harness/report/format')
const { partOf } = require('../parts')

/** @typedef {import('../../harness/interface').Cell} Cell */

/** @param {Cell} cell */
const where = ({ params }) => `the ${params.server} server${params.handler === 'trivial' ? '' : ` (${params.handler})`}`
/** None for a single run. @param {Cell} cell */
const interval = ({ ci95, min, max, samples }) =>
  samples.length === 1 ? '' : ci95 === null ? ` (${figure(min)} to ${figure(max)})` : ` (95 %: ${figure(ci95[0])} to ${figure(ci95[1])})`

/** @type {Record<string, string>} */
const CALLED = { run: 'run()', 'run-async': 'run() of an async function', 'run-attributes': 'run() with an attribute' }

/** What the cells say in sentences. @param {import('../../harness/interface').Document} document */
exports.findings = ({ cells, mode }) => {
  const measured = cells.filter(({ median }) => median !== null)
  const loaded = measured.filter((cell) => partOf(cell) === 'load')
  const ofPart = (/** @type {import('../parts').Part} */ part) => measured.filter((cell) => partOf(cell) === part)
  const noise = loaded.find(({ variant }) => variant === 'nothing')
  return [
    ...(noise === undefined || mode === 'full' ? [] : [`Two unwatched servers beside each other differ by ${figure(noise.median)}${interval(noise)}: what lies within that is noise.`]),
    // Of a hundred cells the tables by watcher tell.
    ...(mode === 'full' ? [] : loaded).filter((cell) => cell !== noise).map((cell) =>
      `With ${cell.variant} ${where(cell)} answers ${figure(cell.median)} times as many requests as unwatched${interval(cell)}, with ${figure(cell.extra.cpuRatio?.median)} times the CPU time each and ${figure(cell.extra.p99Ratio?.median)} times the p99 latency.`),
    ...ofPart('idle').map((cell) =>
      `With ${cell.variant} an idle server takes ${figure(cell.median)} % of a core${interval(cell)} and ${figure(cell.extra.rssMb?.median)} MB more; setting it up takes ${figure(cell.extra.startMs?.median)} ms.`),
    ...ofPart('real-app').map((cell) =>
      `With ${cell.variant} a large application takes ${figure(cell.median)} times the CPU time a request${interval(cell)}, ${figure(cell.extra.p999Ratio?.median)} times the p99.9, ${figure(cell.extra.startUpRatio?.median)} times as long to start and ${figure(cell.extra.rssMb?.median)} MB more.`),
    ...ofPart('preload').map((cell) =>
      `Preloading ${cell.variant} makes an empty script take ${figure(cell.median)} ms longer${interval(cell)}.`),
    ...ofPart('run').map((cell) =>
      `${cell.variant === 'nothing' ? 'Without an agent' : 'With the agent'} a call of ${CALLED[String(cell.params.handler)]} takes ${figure(cell.median)} µs longer${interval(cell)}.`)
  ]
}
