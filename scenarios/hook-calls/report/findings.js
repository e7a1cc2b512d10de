'use strict'

const { told } = require('../../harness/report/contrast')
const { count, figure } = require('../../harness/report/format')

/** @typedef {import('../../harness/interface').Cell} Cell */
/** @typedef {import('../../harness/interface').Comparison} Comparison */

/** @param {Cell} cell */
const workersOf = ({ variant, params }) => variant === 'main' ? 'none' : `${params.workers}`

/** @param {Cell} cell */
const rowOf = ({ params: { consumeMs, count: calls, idLength, uneven } }) =>
  `${count(Number(calls))} calls of ${consumeMs} ms${idLength === 30 ? '' : `, ids of ${count(Number(idLength))}`}${uneven === undefined ? '' : `, one in ten ${uneven} times as long`}`

/** @param {Cell[]} cells */
const measuredOf = (cells) => cells.filter(({ median }) => median !== null)
/** Hooks that do nothing: what calling costs. @param {Cell[]} cells */
const overheadOf = (cells) => measuredOf(cells).filter(({ params }) => params.consumeMs === 0)

/** With most workers, and main. @param {Cell[]} cells */
function widest (cells) {
  const most = Math.max(...cells.map(({ params }) => Number(params.workers)))
  return cells.filter(({ variant, params }) => variant === 'main' || params.workers === most)
}

/**
 * What does it cost to call hooks from Rust, and does the main thread stay free?
 * @param {import('../../harness/interface').Document} document
 */
exports.verdict = ({ cells }) => {
  const overhead = widest(overheadOf(cells))
  const [direct, indirect, main] = ['direct', 'indirect-fifo', 'main'].map((variant) => overhead.find((cell) => cell.variant === variant))
  if (direct === undefined || indirect === undefined) return null
  const time = told(indirect, direct, { first: 'a relay through the main thread', second: 'calling workers directly from Rust', more: ['takes', 'as long as'], what: 'time', unit: 'ms' })
  return main?.extra.mainCpuMs === undefined || direct.extra.mainCpuMs === undefined
    ? time
    : `${time} ${told(main.extra.mainCpuMs, direct.extra.mainCpuMs, { first: 'running hooks on the main thread', second: 'calling workers directly', more: ['costs the main thread', 'as much CPU time as'], what: 'CPU time of the main thread', unit: 'ms' })}`
}

/**
 * The results of the measured cells in sentences. The figures are in the tables.
 * @param {import('../../harness/interface').Document} document
 */
exports.findings = ({ cells }) => {
  const measured = measuredOf(cells)
  if (measured.length === 0) return [`Nothing was measured${cells[0]?.skipped ? `: ${cells[0].skipped}` : ''}.`]
  const overhead = widest(overheadOf(cells))
  const find = (/** @type {string} */ variant) => overhead.find((cell) => cell.variant === variant)
  const [direct, main, race, fifo] = ['direct', 'main', 'indirect-race', 'indirect-fifo'].map(find)
  const longer = /** @type {[string, string]} */ (['takes', 'as long as'])
  /** @param {Cell | undefined} a @param {Cell | undefined} b @param {string} first @param {string} second */
  const pair = (a, b, first, second) => a === undefined || b === undefined ? [] : [told(a, b, { first, second, more: longer, what: 'time', unit: 'ms' })]
  return [
    ...pair(direct, main, 'calling a hook that does nothing in workers', 'calling a hook that does nothing on the main thread'),
    ...pair(race, fifo, 'a relay in which waiting calls race for workers', 'a relay with a queue'),
    ...measured.filter(({ variant }) => variant === 'direct-least-loaded').flatMap((least) => {
      const list = measured.find((cell) => cell.variant === 'direct-depth' && JSON.stringify(cell.params) === JSON.stringify(least.params))
      return pair(least, list, 'handing calls to the least loaded worker', 'handing calls to the last free worker').map((sentence) => `${rowOf(least)}, W=${least.params.workers}: ${sentence}`)
    })
  ]
}

/**
 * A table by variant, with a column for each number of workers.
 * @param {string} title @param {Cell[]} cells @param {(cell: Cell) => number | null | undefined} read
 * @returns {Comparison[]}
 */
function byWorkers (title, cells, read) {
  const counts = [...new Set(cells.map(workersOf))]
  const variants = [...new Set(cells.map(({ variant }) => variant))]
  const rows = variants.map((variant) => [variant, ...counts.map((workers) => {
    const cell = cells.find((each) => each.variant === variant && workersOf(each) === workers)
    return cell === undefined ? '' : figure(read(cell))
  })])
  return rows.some((row) => row.slice(1).some((text) => text !== '')) ? [{ title, head: ['variant', ...counts.map((workers) => workers === 'none' ? 'no worker' : `W=${workers}`)], rows }] : []
}

/** @param {import('../../harness/interface').Document} document @returns {Comparison[]} */
exports.tables = ({ cells }) => {
  const overhead = overheadOf(cells)
  const consuming = measuredOf(cells).filter(({ params }) => params.consumeMs !== 0)
  const calls = count(Number(overhead[0]?.params.count))
  return [
    ...byWorkers(`${calls} calls of a hook that does nothing, ms by number of workers (W)`, overhead, ({ median }) => median),
    ...byWorkers('The same: CPU time of the main thread, ms', overhead, ({ extra }) => extra.mainCpuMs?.median),
    ...byWorkers('The same: largest delay of the main thread\'s event loop, ms', overhead, ({ caller }) => caller?.delayMaxMs),
    ...byWorkers('Initialization, ms', overhead, ({ extra }) => extra.initMs?.median),
    ...(consuming.length === 0
      ? []
      : [{
          title: 'Hooks that work',
          head: ['calls', 'variant', 'workers', 'ms', 'over the least possible', 'largest loop delay, ms'],
          rows: consuming.map((cell) => [rowOf(cell), cell.variant, workersOf(cell), figure(cell.median), cell.extra.overLeast?.median.toFixed(2) ?? '', figure(cell.caller?.delayMaxMs)])
        }])
  ]
}
