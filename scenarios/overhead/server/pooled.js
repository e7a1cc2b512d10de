'use strict'

const { figure } = require('../../harness/report/format')
const { summarise } = require('../../harness/measure/stats')
const { partOf } = require('../parts')

/** @typedef {import('../../harness/interface').Cell} Cell */
/** @typedef {import('../../harness/interface').Document} Document */

/** @param {Cell[]} cells @param {string} [key] of a further figure, else the throughput */
function pooled (cells, key) {
  const { median, min, max, ci95 } = summarise(
    cells.flatMap(({ samples, extra }) => (key === undefined ? samples : extra[key].samples))
  )
  return ci95 === null ? `${figure(median)} (${figure(min)} to ${figure(max)})` : `${figure(median)} (${figure(ci95[0])} to ${figure(ci95[1])})`
}

/**
 * Cost of each watcher by handler, over all servers if several were measured: a single pair of processes shows tenths
 * at most, all together show more.
 * @param {Document} document
 * @returns {import('../../harness/interface').Comparison[]}
 */
exports.tables = ({ cells }) => {
  const loaded = cells.filter((cell) => cell.median !== null && partOf(cell) === 'load')
  const distinct = (/** @type {(cell: Cell) => any} */ read) => [...new Set(loaded.map(read))]
  const servers = distinct(({ params }) => params.server)
  const handlers = distinct(({ params }) => params.handler)
  const groups = distinct(({ variant }) => variant)
    .map((variant) => ({
      variant,
      byHandler: handlers.map((handler) =>
        loaded.filter((cell) => cell.variant === variant && cell.params.handler === handler)
      )
    }))
    .filter(({ byHandler }) =>
      byHandler.every((each) => new Set(each.map(({ params }) => params.server)).size === servers.length)
    )
  if (servers.length < 2 || groups.length === 0) return []
  return [
    { title: 'Throughput × bare', key: undefined },
    { title: 'CPU a request × bare', key: 'cpuRatio' },
    { title: 'p99 × bare', key: 'p99Ratio' }
  ].map(({ title, key }) => ({
    title: `${title}, over all servers (${servers.join(', ')}): median and 95% interval`,
    head: ['variant', ...handlers],
    rows: groups.map(({ variant, byHandler }) => [variant, ...byHandler.map((each) => pooled(each, key))])
  }))
}
