'use strict'

const { compared, isBelow, surplus, withInterval } = require('../../harness/report/contrast')
const { counted } = require('../../harness/report/format')
const { partOf } = require('../parts')
const { aims, programs } = require('../suites/programs')

/** @typedef {import('../../harness/interface').Cell} Cell */

/** @param {Cell} cell */
const where = ({ params }) => `the ${params.server} server${params.handler === 'trivial' ? '' : ` (${params.handler})`}`
/** @typedef {import('../../harness/interface').Summary} Summary */
/** @typedef {(measured: Measured) => Summary | Cell | undefined} Read */
/** @typedef {import('../../harness/report/contrast').Measured & Pick<Cell, 'extra'>} Measured */

const TIMES = 'times'

/** @type {Read} */
const own = (cell) => /** @type {Cell} */ (cell)
/** @param {string} key @returns {Read} */
const extra = (key) => ({ extra }) => extra[key]

/**
 * What watching adds to what the unwatched one against itself has in the same rounds; where that was not measured, to
 * none at all.
 * @param {Cell} cell
 * @param {Cell | undefined} noise the unwatched one against itself
 * @param {Read} read
 * @param {string} unit that of a difference; of a ratio it is TIMES
 */
function added (cell, noise, read, unit) {
  const of = read(cell)
  if (of === undefined) return 'not measured'
  const none = { samples: of.samples.map(() => unit === TIMES ? 1 : 0) }
  const beside = (noise === undefined ? undefined : read(noise)) ?? none
  return unit === TIMES ? compared(of, beside) : surplus(of, beside, unit)
}

/** @type {Record<string, string>} */
const CALLED = { run: 'run()', 'run-async': 'run() of an async function', 'run-attributes': 'run() with an attribute' }

/** Whether a program keeps to the aim of its kind. @param {Cell} cell */
function aimOf (cell) {
  const aim = aims[programs[String(cell.params.handler)].kind]
  if (aim === undefined) return ''
  const kept = isBelow(cell, { samples: cell.samples.map(() => 1) }, aim)
  return `, ${kept === null ? 'which these runs cannot tell from' : kept ? 'within' : 'above'} the aim of ${aim} times`
}

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
  return `Watched by loopwatch, against unwatched, ${where(cell)}. Requests answered: ${added(cell, noise, own, TIMES)}; CPU time of each: ${added(cell, noise, extra('cpuRatio'), TIMES)}; p99 latency: ${added(cell, noise, extra('p99Ratio'), TIMES)}.`
}

/** @type {Record<import('../parts').Part, (cell: Cell, noise: Cell | undefined) => string>} */
const sentences = {
  load: (cell, noise) => `With ${cell.variant} ${where(cell)}, against unwatched. Requests answered: ${added(cell, noise, own, TIMES)}; CPU time of each: ${added(cell, noise, extra('cpuRatio'), TIMES)}; p99 latency: ${added(cell, noise, extra('p99Ratio'), TIMES)}`,
  idle: (cell, noise) => `With ${cell.variant} an idle server takes more. CPU: ${added(cell, noise, own, '% of a core')}; memory: ${added(cell, noise, extra('rssMb'), 'MB')}; setting it up: ${added(cell, noise, extra('startMs'), 'ms')}`,
  'real-app': (cell, noise) => `With ${cell.variant} a large application, against unwatched. CPU time of a request: ${added(cell, noise, own, TIMES)}; p99.9: ${added(cell, noise, extra('p999Ratio'), TIMES)}; its start: ${added(cell, noise, extra('startUpRatio'), TIMES)}; more memory: ${added(cell, noise, extra('rssMb'), 'MB')}`,
  preload: (cell, noise) => `Preloading ${cell.variant}, an empty script takes longer: ${added(cell, noise, own, 'ms')}`,
  run: (cell, noise) => `${cell.variant === 'nothing' ? 'Without an agent' : 'With the agent'} a call of ${CALLED[String(cell.params.handler)]} takes longer: ${added(cell, noise, own, 'µs')}`,
  suites: (cell, noise) => `${cell.params.handler} under the preload, against without. Time: ${added(cell, noise, own, TIMES)}${aimOf(cell)}; CPU time: ${added(cell, noise, extra('cpuRatio'), TIMES)}; it prints ${counted(cell.extra.addedLines.median, 'line')} more`
}

/** What the cells say in sentences. @param {import('../../harness/interface').Document} document */
exports.findings = ({ cells, mode }) => {
  const measured = cells.filter(({ median }) => median !== null)
  const noise = measured.find((cell) => cell.variant === 'nothing' && partOf(cell) === 'load')
  // Of a hundred cells the tables by watcher tell.
  const told = measured.filter((cell) => cell !== noise && (mode !== 'full' || partOf(cell) !== 'load'))
  return [
    ...(noise === undefined || mode === 'full' ? [] : [`Two unwatched servers beside each other differ by ${withInterval(noise, 'times')}; the sentences below compare each watcher with that.`]),
    ...told.map((cell) => `${sentences[partOf(cell)](cell, noiseOf(measured, cell))}.`)
  ]
}
