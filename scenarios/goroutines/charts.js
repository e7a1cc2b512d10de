'use strict'

const { bars, own } = require('../harness/report/bars')
const { counted } = require('../harness/report/format')

/** @typedef {import('../harness/interface').Cell} Cell */

/** @param {string} key @returns {(cell: Cell) => import('../harness/interface').Summary | null} */
const ofExtra = (key) => ({ extra }) => extra[key] ?? null

/** @param {import('../harness/interface').Document} document @returns {import('../harness/interface').Chart[]} */
exports.charts = ({ cells }) => {
  const works = cells.filter(({ params }) => params.kernel !== undefined)
  const states = cells.filter(({ params }) => params.updates !== undefined)
  /** @param {Cell} cell */
  const label = ({ params }) => `${params.kernel} of ${params.workMs} ms, ${counted(Number(params.users), 'user')}`
  /** @param {(cell: Cell) => import('../harness/interface').Summary | null} read */
  const byWork = (read) =>
    [...new Set(works.map(label))]
      .map((each) => ({
        label: each,
        bars: bars(
          works.filter((cell) => label(cell) === each),
          read
        )
      }))
      .filter((group) => group.bars.length > 0)
  return [
    { title: 'Requests answered', unit: 'requests/s', note: 'Higher is better. The work is the same and has the same result in both languages.', groups: byWork(own) },
    { title: 'p99 of a cheap request at the same time', unit: 'ms', note: 'Lower is better. This is how long everyone else waits while the work runs.', groups: byWork(ofExtra('healthP99Ms')) },
    { title: 'Peak memory of the server', unit: 'MiB', note: 'Lower is better.', groups: byWork(ofExtra('serverPeakMiB')) },
    { title: 'Updates of shared counters', unit: 'updates/s', note: 'Higher is better. racy has no guard and loses updates: it is the control.', groups: states.length === 0 ? [] : [{ label: '64 keys', bars: bars(states, own) }] }
  ].filter((chart) => chart.groups.length > 0)
}
