'use strict'

const { bars, own } = require('../../harness/report/bars')
const { partOf } = require('../parts')

/** @typedef {import('../../harness/interface').Cell} Cell */

/** @param {Cell[]} cells @param {(cell: Cell) => import('../../harness/interface').Summary | null | undefined} read */
const groups = (cells, read) => {
  const placeOf = (/** @type {Cell} */ { params }) => `${params.server}, ${params.handler}`
  return [...new Set(cells.map(placeOf))]
    .map((label) => ({ label, bars: bars(cells.filter((cell) => placeOf(cell) === label), read) }))
    .filter((group) => group.bars.length > 0)
}

/** @param {import('../../harness/interface').Document} document @returns {import('../../harness/interface').Chart[]} */
exports.charts = ({ cells }) => {
  const loaded = cells.filter((cell) => partOf(cell) === 'load')
  const idle = cells.filter((cell) => partOf(cell) === 'idle')
  const realApp = cells.filter((cell) => partOf(cell) === 'real-app')
  const named = cells.filter((cell) => partOf(cell) === 'run')
  const preload = cells.filter((cell) => partOf(cell) === 'preload')
  const programs = cells.filter((cell) => partOf(cell) === 'suites')
  return [
    { title: 'Throughput', unit: '× bare', note: 'Higher is better; 1 costs nothing. `nothing` is a second unwatched server: its whiskers are the noise of the method.', groups: groups(loaded, own) },
    { title: 'Latency, p99', unit: '× bare', note: 'Lower is better.', groups: groups(loaded, ({ extra }) => extra.p99Ratio) },
    { title: 'CPU of a request, all threads', unit: '× bare', note: 'Lower is better.', groups: groups(loaded, ({ extra }) => extra.cpuRatio) },
    { title: 'CPU while idle', unit: '% of a core', note: 'Lower is better. In addition to the unwatched server.', groups: groups(idle, own) },
    { title: 'Wake-ups while idle', unit: 'a second', note: 'Lower is better. All threads.', groups: groups(idle, ({ extra }) => extra.wakeUps) },
    { title: 'A large application, CPU of a request', unit: '× bare', note: 'Lower is better. `nothing` is a second unwatched application: its whiskers are the noise of the method.', groups: groups(realApp, own) },
    { title: 'A large application, latency, p99.9', unit: '× bare', note: 'Lower is better.', groups: groups(realApp, ({ extra }) => extra.p999Ratio) },
    { title: 'An empty script', unit: 'ms', note: 'Lower is better. Time that the preload adds.', groups: groups(preload, own) },
    { title: 'A named piece of work', unit: 'µs', note: 'Lower is better. Time that run() adds to a call; `nothing` is run() without an agent.', groups: groups(named, own) },
    { title: 'Whole programs under the preload', unit: '× bare', note: 'Lower is better. Time from start to end.', groups: groups(programs, own) }
  ].filter((chart) => chart.groups.length > 0)
}
