'use strict'

const { figure } = require('../harness/format')

/** @typedef {import('../harness/interface').Cell} Cell */

/** What the cells say in sentences, as far as they were measured. @param {import('../harness/interface').Document} document */
exports.findings = ({ cells }) => {
  const overhead = cells.filter(({ params, median }) => params.consumeMs === 0 && median !== null)
  if (overhead.length === 0) return [`The overhead of calling was not measured${cells[0]?.skipped ? `: ${cells[0].skipped}` : ''}.`]
  const { count } = overhead[0].params
  /** @param {string} variant @param {(cell: Cell) => number | null | undefined} read */
  const byWorkers = (variant, read) => overhead.filter((cell) => cell.variant === variant).map((cell) => `${figure(read(cell))} ms (W=${cell.params.workers})`).join(', ')
  /** @param {string} variant @param {string} sentence */
  const say = (variant, sentence) => overhead.some((cell) => cell.variant === variant) ? [`${sentence} ${byWorkers(variant, ({ median }) => median)}.`] : []
  const main = overhead.find(({ variant }) => variant === 'main')
  return [
    ...(main === undefined ? [] : [`${count} calls of a hook that does nothing take ${figure(main.median)} ms on the main thread.`]),
    ...say('direct', 'In worker threads called from Rust directly'),
    ...say('direct-by-turn', 'The same with one call each time that Node-API\'s queue calls the worker:'),
    ...say('indirect-fifo', 'Through the main thread with a free list'),
    ...say('indirect-piscina', 'Through the main thread by piscina'),
    ...say('indirect-race', 'By the original\'s race, where each completion wakes all that wait:'),
    ...(overhead.some(({ variant }) => variant === 'direct') ? [`Initialising direct takes ${byWorkers('direct', ({ extra }) => extra.initMs?.median)}; of the main thread's CPU ${byWorkers('direct', ({ extra }) => extra.initCpuMs?.median)}.`] : []),
    ...delays(overhead)
  ]
}

/** What a caller's loop has to bear meanwhile. @param {Cell[]} overhead */
function delays (overhead) {
  const most = Math.max(...overhead.map(({ params }) => Number(params.workers)))
  const each = overhead.filter(({ variant, params, caller }) => caller !== null && (variant === 'main' || params.workers === most))
  return each.length === 0 ? [] : [`Largest delay of the main thread's loop meanwhile: ${each.map(({ variant, caller }) => `${variant} ${figure(caller?.delayMaxMs)} ms`).join(', ')}.`]
}
