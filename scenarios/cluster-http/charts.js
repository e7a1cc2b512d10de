'use strict'

const { bars, own } = require('../harness/report/bars')

/** @typedef {import('../harness/interface').Cell} Cell */

/** @param {Cell} cell */
const series = ({ variant, params }) => `${variant} (${params.pool ?? params.workers})`

/** @param {import('../harness/interface').Document} document @returns {import('../harness/interface').Chart[]} */
exports.charts = ({ cells }) => {
  /** @param {Cell} cell */
  const label = ({ params }) => `${params.endpoint}${params.connection === 'new' ? ', new connections' : ''}${params.share === undefined ? '' : `, open loop at ${Number(params.share) * 100}% of one process`}`
  /** @param {(cell: Cell) => import('../harness/interface').Summary | null} read */
  const groups = (read) =>
    [...new Set(cells.map(label))]
      .map((each) => ({
        label: each,
        bars: bars(cells.filter((cell) => label(cell) === each), read, series)
      }))
      .filter((group) => group.bars.length > 0)
  return [
    { title: 'Requests answered', unit: 'requests/s', note: 'Higher is better. In brackets: the number of workers, or of connections in a pool. 50 users.', groups: groups(own) },
    { title: 'Latency, p95', unit: 'ms', note: 'Lower is better. In an open loop, latency counts from when the request was due.', groups: groups(({ extra }) => extra.p95Ms ?? null) }
  ].filter((chart) => chart.groups.length > 0)
}
