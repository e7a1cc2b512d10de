'use strict'

const { compared, told } = require('../../harness/report/contrast')
const { count, figure } = require('../../harness/report/format')

/** @typedef {import('../../harness/interface').Cell} Cell */

/** Beyond that a hook's work hides what calling costs. */
const LITTLE_OVER = 1.02

/** @param {Cell} cell */
const name = ({ variant, params }) => variant === 'main' ? 'main' : `${variant} W=${params.workers}`

/** @param {Cell} cell */
const rowOf = ({ params: { consumeMs, count: calls, idLength, uneven } }) =>
  `${calls} calls of ${consumeMs} ms${idLength === 30 ? '' : ` with ids of ${count(Number(idLength))}`}${uneven === undefined ? '' : `, of which one in ten takes ${uneven} times as long`}`

/**
 * What does it cost to call hooks from Rust, and does the main thread stay free?
 * @param {import('../../harness/interface').Document} document
 */
exports.verdict = ({ cells }) => {
  const overhead = widest(cells.filter(({ median, params }) => median !== null && params.consumeMs === 0))
  const [direct, indirect, main] = ['direct', 'indirect-fifo', 'main'].map((variant) => overhead.find((cell) => cell.variant === variant))
  if (direct === undefined || indirect === undefined) return null
  const time = told(indirect, direct, {
    of: 'How long the same calls of hooks take through the main thread, compared with directly from Rust',
    more: 'Call hooks in worker threads directly from Rust: through the main thread the same calls take longer',
    less: 'Call hooks through the main thread: in worker threads directly from Rust the same calls take longer'
  })
  const cpu = main?.extra.mainCpuMs === undefined || direct.extra.mainCpuMs === undefined
    ? ''
    : ` Main thread's CPU time in direct calls over hooks on the main thread itself: ${compared(direct.extra.mainCpuMs, main.extra.mainCpuMs)}.`
  return `${time}${cpu}`
}

/**
 * What the cells say in sentences, as far as they were measured.
 * @param {import('../../harness/interface').Document} document
 */
exports.findings = ({ cells }) => {
  const measured = cells.filter(({ median }) => median !== null)
  if (measured.length === 0) return [`The overhead of calling was not measured${cells[0]?.skipped ? `: ${cells[0].skipped}` : ''}.`]
  const overhead = measured.filter(({ params }) => params.consumeMs === 0)
  return [
    ...overheads(overhead),
    ...payers(overhead),
    ...delays(overhead),
    ...byRow(measured.filter(({ params }) => params.consumeMs !== 0))
  ]
}

/** What calling costs. @param {Cell[]} overhead */
function overheads (overhead) {
  /** @param {string} variant @param {(cell: Cell) => number | null | undefined} read */
  const byWorkers = (variant, read) => overhead.filter((cell) => cell.variant === variant).map((cell) => `${figure(read(cell))} ms (W=${cell.params.workers})`).join(', ')
  /** @param {string} variant @param {string} sentence */
  const say = (variant, sentence) => overhead.some((cell) => cell.variant === variant) ? [`${sentence} ${byWorkers(variant, ({ median }) => median)}.`] : []
  const main = overhead.find(({ variant }) => variant === 'main')
  return [
    ...(main === undefined ? [] : [`${count(Number(main.params.count))} calls of a hook that does nothing take ${figure(main.median)} ms on the main thread.`]),
    ...say('direct', 'In worker threads called from Rust directly'),
    ...say('direct-by-turn', 'The same with one call each time that Node-API\'s queue calls the worker:'),
    ...say('direct-channel', 'As Rolldown does it, from a channel of free workers:'),
    ...say('direct-depth', 'With up to four calls on their way to a worker'),
    ...say('direct-least-loaded', 'The same to the worker with the fewest in flight'),
    ...say('indirect-fifo', 'Through the main thread with a free list'),
    ...say('indirect-piscina', 'Through the main thread by piscina'),
    ...say('indirect-race', 'By the original\'s race, where each completion wakes all that wait:'),
    ...(overhead.some(({ variant }) => variant === 'direct') ? [`Initialising direct takes ${byWorkers('direct', ({ extra }) => extra.initMs?.median)}; of the main thread's CPU ${byWorkers('direct', ({ extra }) => extra.initCpuMs?.median)}.`] : [])
  ]
}

/** With most workers, and main. @param {Cell[]} cells */
function widest (cells) {
  const most = Math.max(...cells.map(({ params }) => Number(params.workers)))
  return cells.filter(({ variant, params }) => variant === 'main' || params.workers === most)
}

/** Who pays for it. @param {Cell[]} overhead */
function payers (overhead) {
  const each = widest(overhead).filter(({ extra }) => extra.mainCpuMs !== undefined)
  return each.length === 0 ? [] : [`Of the main thread's CPU these calls take ${each.map((cell) => `${name(cell)} ${figure(cell.extra.mainCpuMs.median)} ms`).join(', ')}.`]
}

/** What a caller's loop has to bear meanwhile. @param {Cell[]} overhead */
function delays (overhead) {
  const each = widest(overhead).filter(({ caller }) => caller !== null)
  return each.length === 0 ? [] : [`Largest delay of the main thread's loop meanwhile: ${each.map(({ variant, caller }) => `${variant} ${figure(caller?.delayMaxMs)} ms`).join(', ')}.`]
}

/**
 * Rows whose hooks do something: how long, over what is possible, and whether the main thread stays free.
 * @param {Cell[]} consuming
 */
function byRow (consuming) {
  return [...new Set(consuming.map(rowOf))].flatMap((row) => {
    const cells = consuming.filter((cell) => rowOf(cell) === row)
    const over = cells.filter(({ extra }) => extra.overLeast !== undefined)
    const near = over.filter(({ extra }) => extra.overLeast.median <= LITTLE_OVER)
    const loops = cells.filter(({ caller }) => caller !== null)
    return [
      `${row}: ${cells.map((cell) => `${name(cell)} ${figure(cell.median)} ms`).join(', ')}.` +
      (over.length === 0 ? '' : ` Over the least possible: ${over.map((cell) => `${name(cell)} ${cell.extra.overLeast.median.toFixed(2)}`).join(', ')}; within 2 %: ${near.map(name).join(', ') || 'none'}.`) +
      (loops.length === 0 ? '' : ` The main thread's loop is late by up to ${loops.map((cell) => `${name(cell)} ${figure(cell.caller?.delayMaxMs)} ms`).join(', ')}.`),
      ...byOrder(row, cells)
    ]
  })
}

/**
 * Free list against least loaded, where both were measured with as many workers.
 * @param {string} row
 * @param {Cell[]} cells
 */
function byOrder (row, cells) {
  return cells.filter(({ variant }) => variant === 'direct-least-loaded').flatMap((least) => {
    const list = cells.find(({ variant, params }) => variant === 'direct-depth' && params.workers === least.params.workers)
    if (list === undefined) return []
    return [`Least-loaded over the free list for ${row} (W=${least.params.workers}), by the time it takes: ${compared(least, list)}.`]
  })
}
