'use strict'

const { FEW, contrast, withInterval } = require('../../harness/report/contrast')
const { figure } = require('../../harness/report/format')
const { partOf } = require('../parts')

/** @typedef {import('../../harness/interface').Cell} Cell */

/** @param {Cell} cell */
const where = ({ params }) => `the ${params.server} server${params.handler === 'trivial' ? '' : ` (${params.handler})`}`
/** @typedef {import('../../harness/interface').Summary} Summary */
/** @typedef {(measured: Measured) => Summary | Cell | undefined} Read */
/** @typedef {import('../../harness/report/contrast').Measured & Pick<Cell, 'extra'>} Measured */

/** @type {Read} */
const own = (cell) => /** @type {Cell} */ (cell)
/** @param {string} key @returns {Read} */
const extra = (key) => ({ extra }) => extra[key]

/**
 * What watching adds, beside what two unwatched ones differ by; where that was not measured, beside none at all.
 * @param {Cell} cell
 * @param {Cell | undefined} noise the unwatched one against itself
 * @param {Read} read
 * @param {{ none: number, unit: string }} as none = what an unwatched one has
 */
function added (cell, noise, read, { none, unit }) {
  const [of, beside] = [read(cell), noise === undefined ? undefined : read(noise)]
  if (of === undefined) return 'not measured'
  // That these are too few is said of the cell.
  if (of.ci95 === null) return `${figure(of.median)} ${unit}`
  const isNoise = beside?.ci95 ? contrast(of, beside) === 'unclear' : of.ci95[0] <= none && none <= of.ci95[1]
  return isNoise ? 'no difference that matters' : withInterval(of, unit)
}

const TIMES = { none: 1, unit: 'times' }
/** @param {string} unit */
const more = (unit) => ({ none: 0, unit })
/** @param {Cell} cell */
const reserve = ({ ci95 }) => ci95 === null ? ` (${FEW})` : ''

/** @type {Record<string, string>} */
const CALLED = { run: 'run()', 'run-async': 'run() of an async function', 'run-attributes': 'run() with an attribute' }

/**
 * The unwatched one against itself, of the same part.
 * @param {Cell[]} cells @param {Cell} cell
 */
const noiseOf = (cells, cell) => {
  const { server, handler } = cell.params
  const noises = cells.filter((each) => each !== cell && each.variant === 'nothing' && partOf(each) === partOf(cell))
  return noises.find(({ params }) => params.handler === handler && params.server === server) ?? noises[0]
}

/**
 * What does a server pay for being watched by loopwatch?
 * @param {import('../../harness/interface').Document} document
 */
exports.verdict = ({ cells }) => {
  const measured = cells.filter(({ median }) => median !== null)
  const cell = measured.find((each) => each.variant === 'loopwatch' && partOf(each) === 'load')
  if (cell === undefined) return null
  const noise = noiseOf(measured, cell)
  return `Watched by loopwatch, against unwatched, ${where(cell)}: requests answered ${added(cell, noise, own, TIMES)}, CPU time of each ${added(cell, noise, extra('cpuRatio'), TIMES)}, p99 latency ${added(cell, noise, extra('p99Ratio'), TIMES)}${reserve(cell)}.`
}

/** @type {Record<import('../parts').Part, (cell: Cell, noise: Cell | undefined) => string>} */
const sentences = {
  load: (cell, noise) => `With ${cell.variant} ${where(cell)}, against unwatched: requests answered ${added(cell, noise, own, TIMES)}, CPU time of each ${added(cell, noise, extra('cpuRatio'), TIMES)}, p99 latency ${added(cell, noise, extra('p99Ratio'), TIMES)}`,
  idle: (cell, noise) => `With ${cell.variant} an idle server takes more: CPU ${added(cell, noise, own, more('% of a core'))}, memory ${added(cell, noise, extra('rssMb'), more('MB'))}, setting it up ${added(cell, noise, extra('startMs'), more('ms'))}`,
  'real-app': (cell, noise) => `With ${cell.variant} a large application, against unwatched: CPU time of a request ${added(cell, noise, own, TIMES)}, p99.9 ${added(cell, noise, extra('p999Ratio'), TIMES)}, its start ${added(cell, noise, extra('startUpRatio'), TIMES)}, more memory ${added(cell, noise, extra('rssMb'), more('MB'))}`,
  preload: (cell, noise) => `Preloading ${cell.variant}, an empty script takes longer: ${added(cell, noise, own, more('ms'))}`,
  run: (cell, noise) => `${cell.variant === 'nothing' ? 'Without an agent' : 'With the agent'} a call of ${CALLED[String(cell.params.handler)]} takes longer: ${added(cell, noise, own, more('µs'))}`
}

/** What the cells say in sentences. @param {import('../../harness/interface').Document} document */
exports.findings = ({ cells, mode }) => {
  const measured = cells.filter(({ median }) => median !== null)
  const noise = measured.find((cell) => cell.variant === 'nothing' && partOf(cell) === 'load')
  // Of a hundred cells the tables by watcher tell.
  const told = measured.filter((cell) => cell !== noise && (mode !== 'full' || partOf(cell) !== 'load'))
  return [
    ...(noise === undefined || mode === 'full' ? [] : [`Two unwatched servers beside each other differ by ${withInterval(noise, 'times')}: what lies within that is noise${reserve(noise)}.`]),
    ...told.map((cell) => `${sentences[partOf(cell)](cell, noiseOf(measured, cell))}${reserve(cell)}.`)
  ]
}
