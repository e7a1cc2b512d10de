'use strict'

const { isBelow, ratioCells, surplusCells, told, withInterval } = require('../../harness/report/contrast')
const { counted } = require('../../harness/report/format')
const { partOf } = require('../parts')
const { aims, programs } = require('../suites/programs')

/** @typedef {import('../../harness/interface').Cell} Cell */

/** @typedef {import('../../harness/interface').Summary} Summary */
/** @typedef {import('../../harness/report/contrast').Measured & Pick<Cell, 'extra'>} Measured */
/** @typedef {{ what: string, read: (measured: Measured) => Summary | Cell | undefined, unit?: string }} Figure unit: of
 * a difference; a ratio has none */

/** @param {Cell} cell */
const where = ({ params }) => params.handler === 'trivial' ? `${params.server} server` : params.server === 'none' ? `${params.handler}` : `${params.server} server, ${params.handler}`
/** @type {Figure['read']} */
const own = (cell) => /** @type {Cell} */ (cell)
/** @param {string} key @returns {Figure['read']} */
const extra = (key) => ({ extra }) => extra[key]

/** Figures compared with the unwatched process, by part. @type {Record<import('../parts').Part, Figure[]>} */
const figures = {
  load: [{ what: 'requests answered', read: own }, { what: 'CPU time of a request', read: extra('cpuRatio') }, { what: 'p99 latency', read: extra('p99Ratio') }],
  idle: [{ what: 'CPU while idle', read: own, unit: '% of a core' }, { what: 'memory', read: extra('rssMb'), unit: 'MB' }, { what: 'setting up', read: extra('startMs'), unit: 'ms' }],
  'real-app': [{ what: 'CPU time of a request', read: own }, { what: 'p99.9 latency', read: extra('p999Ratio') }, { what: 'startup', read: extra('startUpRatio') }, { what: 'memory', read: extra('rssMb'), unit: 'MB' }],
  preload: [{ what: 'an empty script', read: own, unit: 'ms' }],
  run: [{ what: 'a call', read: own, unit: 'µs' }],
  suites: [{ what: 'time', read: own }, { what: 'CPU time', read: extra('cpuRatio') }]
}

/**
 * The unwatched one against itself in the same rounds; if that was not measured, one that adds nothing.
 * @param {Cell | undefined} noise @param {Figure} figure @param {{ samples: number[] }} of
 */
const unwatched = (noise, { read, unit }, of) =>
  (noise === undefined ? undefined : read(noise)) ?? { samples: of.samples.map(() => unit === undefined ? 1 : 0) }

/** @type {Record<string, string>} */
const CALLED = { run: 'run()', 'run-async': 'run() of an async function', 'run-attributes': 'run() with an attribute' }

/** Whether a program keeps to the aim of its kind. @param {Cell} cell */
function aimOf (cell) {
  const aim = aims[programs[String(cell.params.handler)].kind]
  if (aim === undefined) return ''
  const kept = isBelow(cell, { samples: cell.samples.map(() => 1) }, aim)
  return `, ${kept === null ? 'not clearly within or above' : kept ? 'within' : 'above'} the aim of ${aim} times`
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

/** Words for each figure in a sentence. @type {Record<string, [verb: string, than: string]>} */
const words = {
  'requests answered': ['answers', 'as many requests as'],
  'CPU time of a request': ['takes', 'as much CPU time for a request as'],
  'p99 latency': ['has', 'as high a p99 latency as'],
  'p99.9 latency': ['has', 'as high a p99.9 latency as'],
  startup: ['takes', 'as long to start as']
}

/** @type {Record<string, string>} */
const THINGS = { bare: 'bare server', express: 'Express server', fastify: 'Fastify server', 'real-app': 'large application' }

/** One sentence for each ratio of a cell. @param {Cell} cell @param {Cell | undefined} noise */
const ratios = (cell, noise) => figures[partOf(cell)].flatMap((figure) => {
  const of = figure.read(cell)
  const thing = THINGS[String(cell.params.server)]
  return of === undefined || words[figure.what] === undefined
    ? []
    : told(of, unwatched(noise, figure, of), { first: `${/^[AEIOU]/.test(thing) ? 'an' : 'a'} ${thing} watched by loopwatch`, second: `an unwatched ${thing}`, more: words[figure.what], what: figure.what })
})

/**
 * What does a server pay for being watched by loopwatch?
 * @param {import('../../harness/interface').Document} document
 */
exports.verdict = ({ cells }) => {
  const measured = cells.filter(({ median }) => median !== null)
  const cell = measured.find((each) => each.variant === 'loopwatch' && partOf(each) === 'load')
  if (cell === undefined) return null
  return ratios(cell, noiseOf(measured, cell)).join(' ')
}

/** The amount that watching adds to a figure without a ratio. @param {Cell} cell @param {Cell | undefined} noise */
function ofDifference (cell, noise) {
  const [figure] = figures[partOf(cell)]
  const [more, range, answer] = surplusCells(cell, unwatched(noise, figure, cell), figure.unit ?? '')
  const added = `${more} (${range || answer}${range !== '' && answer !== 'more' ? `, ${answer}` : ''})`
  if (partOf(cell) === 'idle') return `Watching an idle server adds ${added}.`
  if (partOf(cell) === 'preload') return `Preloading loopwatch adds ${added} to an empty script.`
  return `The agent adds ${added} to a call of ${CALLED[String(cell.params.handler)]}.`
}

/**
 * The results for loopwatch in sentences. Those of other tools are in the tables.
 * @param {import('../../harness/interface').Document} document
 */
exports.findings = ({ cells }) => {
  const measured = cells.filter(({ median }) => median !== null)
  const noise = measured.find((cell) => cell.variant === 'nothing' && partOf(cell) === 'load')
  return [
    ...(noise === undefined ? [] : [`Two unwatched servers differ by ${withInterval(noise, 'times')}: this is the noise of the method.`]),
    ...measured.filter(({ variant }) => variant === 'loopwatch').flatMap((cell) => {
      const part = partOf(cell)
      if (part === 'suites') return [`${cell.params.handler} under the preload takes ${withInterval(cell, 'times')} as long as without${aimOf(cell)}. It prints ${counted(cell.extra.addedLines.median, 'line')} more.`]
      if (part !== 'load' && part !== 'real-app') return [ofDifference(cell, noiseOf(measured, cell))]
      return part === 'real-app' || cell.params.handler === 'trivial' ? ratios(cell, noiseOf(measured, cell)) : []
    })
  ]
}

/**
 * Every watcher compared with the unwatched one.
 * @param {import('../../harness/interface').Document} document
 */
exports.contrasts = ({ cells }) => {
  const measured = cells.filter((cell) => cell.median !== null && cell.variant !== 'nothing')
  const rows = measured.flatMap((cell) => figures[partOf(cell)].flatMap((figure) => {
    const of = figure.read(cell)
    if (of === undefined) return []
    const than = unwatched(noiseOf(cells.filter(({ median }) => median !== null), cell), figure, of)
    const answer = figure.unit === undefined ? ratioCells(of, than) : surplusCells(of, than, figure.unit)
    return [[cell.variant, where(cell), figure.what, ...answer]]
  }))
  return rows.length === 0
    ? []
    : [{
        title: 'Each watcher compared with an unwatched server of the same rounds',
        head: ['watcher', 'where', 'what', 'times, or more by', '95% interval', 'it is'],
        rows,
        keep: 3
      }]
}
