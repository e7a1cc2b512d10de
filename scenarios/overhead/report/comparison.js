'use strict'

const { extra, figure } = require('../../harness/report/format')
const { summarise } = require('../../harness/measure/stats')
const { partOf } = require('../parts')

/** @typedef {import('../../harness/interface').Cell} Cell */
/** @typedef {import('../../harness/interface').Comparison} Comparison */
/** @typedef {import('../../harness/interface').Summary} Summary */

/** A median with its spread over the rounds. @param {Summary | Cell | undefined} summary */
const spread = (summary) => summary === undefined
  ? ''
  : summary.samples.length === 1 ? figure(summary.median) : `${figure(summary.median)} (${figure(summary.min)} to ${figure(summary.max)})`

/** The measurements of the unwatched side in all cells together. @param {Cell[]} cells @param {string} key */
const ofAll = (cells, key) => {
  const samples = cells.flatMap(({ extra }) => extra[key]?.samples ?? [])
  return samples.length === 0 ? undefined : summarise(samples)
}

/** @param {string} key */
const bareKey = (key) => `bare${key[0].toUpperCase()}${key.slice(1)}`

/**
 * One column: ratio = '1' in the row of the unwatched side.
 * @typedef {{ title: string, key: string, bare?: string }} Shown
 */

/**
 * @param {string} title
 * @param {Cell[]} cells
 * @param {Shown[]} shown
 * @param {string[]} notes
 * @returns {Comparison[]}
 */
function tableOf (title, cells, shown, notes) {
  if (cells.length === 0) return []
  const bare = ['bare', ...shown.map(({ key, bare: fixed }) => fixed ?? spread(ofAll(cells, bareKey(key))))]
  const rows = cells.map((cell) => [cell.variant, ...shown.map(({ key }) => spread(cell.extra[key]))])
  return [{ title, head: ['variant', ...shown.map((each) => each.title)], rows: [bare, ...rows], notes }]
}

/** @type {Shown[]} */
const REAL_APP = [
  { title: 'CPU a request × bare', key: 'cpuRatio', bare: '1' },
  { title: '% of a core', key: 'cpuPercent' },
  { title: 'p50 ms', key: 'p50Ms' },
  { title: 'p99 ms', key: 'p99Ms' },
  { title: 'p99.9 ms', key: 'p999Ms' },
  { title: 'p99 × bare', key: 'p99Ratio', bare: '1' },
  { title: 'p99.9 × bare', key: 'p999Ratio', bare: '1' },
  { title: 'startup ms', key: 'startUpMs' },
  { title: 'startup × bare', key: 'startUpRatio', bare: '1' },
  { title: 'RSS + MB', key: 'rssMb', bare: '0' }
]

/** @type {Shown[]} */
const IDLE = [
  { title: '% of a core', key: 'cpuPercent' },
  { title: 'wake-ups per second', key: 'wakeUps' },
  { title: 'RSS + MB', key: 'rssMb', bare: '0' },
  { title: 'setting up ms', key: 'startMs', bare: '0' }
]

/** @type {Shown[]} */
const PRELOAD = [{ title: 'empty script ms', key: 'scriptMs' }]

/** A figure that is 0 or 1, in words. @param {Cell} cell @param {string} key */
const yes = (cell, key) => cell.extra[key]?.max > 0 ? 'yes' : 'no'

/** @param {Cell[]} cells @returns {Comparison[]} */
const programTable = (cells) => cells.length === 0
  ? []
  : [{
      title: 'Whole programs under the preload in NODE_OPTIONS',
      head: ['program', 'time × bare', 'CPU × bare', 'bare, s', 'bare, CPU s', 'lines more', 'bytes more', 'port opened', 'for the application'],
      rows: cells.map((cell) => [
        String(cell.params.handler), spread(cell), spread(cell.extra.cpuRatio),
        ...['bareSeconds', 'bareCpuSeconds', 'addedLines', 'addedBytes'].map((key) => extra(cell, key)),
        yes(cell, 'port'), yes(cell, 'speaks')
      ]),
      notes: ['A program has figures only if its stdout and exit code are the same with the preload.']
    }]

/**
 * Tables by cost: for a large application, an idle server, an empty script.
 * @param {import('../../harness/interface').Document} document
 */
exports.comparisons = ({ cells }) => {
  const of = (/** @type {import('../parts').Part} */ part) =>
    cells.filter((cell) => cell.median !== null && partOf(cell) === part)
  const idle = of('idle')
  const noKernel = idle.length > 0 && idle.every(({ extra }) => extra.wakeUps === undefined)
  return [
    ...tableOf('A large application at a constant rate of requests: median (smallest to largest) of the rounds', of('real-app'), REAL_APP,
      ['Ratios are to the unwatched application of the same round; nothing is a second unwatched application: the noise of the method.']),
    ...tableOf('An idle server', idle, IDLE, noKernel ? ['Wake-ups are counted on Linux only, from /proc/<pid>/task.'] : []),
    ...tableOf('An empty script under the preload', of('preload'), PRELOAD, []),
    ...programTable(of('suites'))
  ]
}
