'use strict'

const { figure } = require('../harness/report/format')

/** The document's rows: what a hook consumes, how many calls, how long an id. */
exports.ROWS = [
  [0, 1000, 30],
  [1, 1000, 30],
  [3, 333, 30],
  [5, 200, 30],
  [10, 100, 30],
  [10, 100, 10000],
  [10, 100, 100000],
  [10, 100, 1000000]
].map(([consumeMs, count, idLength]) => ({ consumeMs, count, idLength }))

/** Its results, ms: main, indirect and direct with 1, 4, 8 and 16 workers. */
const published = [
  [7.471, 103.358, 1457.12, 3259.583, 7218.53, 26.614, 7.71, 4.838, 3.093],
  [999.928, 1004.372, 704.273, 1737.58, 4358.62, 1000.195, 249.977, 125.079, 62.978],
  [999.009, 999.165, 252.673, 187.974, 375.481, 998.969, 251.976, 125.977, 62.977],
  [1000.068, 999.963, 251.265, 131.172, 137.273, 1000.039, 249.979, 124.98, 64.982],
  [999.922, 1000.069, 249.981, 130.881, 71.374, 999.979, 249.98, 129.981, 69.975],
  [999.954, 999.939, 249.981, 130.968, 72.181, 999.973, 249.979, 129.967, 69.976],
  [1000.617, 1002.145, 253.245, 134.376, 86.17, 999.959, 250.166, 130.082, 70.083],
  [1071.537, 1148.172, 336.675, 212.726, 208.795, 1100.431, 280.206, 157.28, 88.989]
]
/** Initialization: total, and the part spent waiting for the workers. */
const publishedInit = [
  [0.013, 0],
  [26.207, 25.566],
  [29.304, 28.197],
  [34.062, 31.764],
  [51.233, 46.026],
  [31.253, 30.82],
  [34.196, 33.201],
  [38.116, 36.142],
  [57.307, 52.613]
]
const COLUMNS = [['main', 0], ...['indirect-race', 'direct'].flatMap((variant) => [1, 4, 8, 16].map((workers) => [variant, workers]))]

/** @param {number[]} samples */
const mean = (samples) => samples.reduce((sum, sample) => sum + sample, 0) / samples.length

/** @param {import('../harness/interface').Document} document @returns {import('../harness/interface').Comparison[]} */
exports.compare = ({ cells }) => {
  /**
   * @param {(string | number)[]} column
   * @param {Partial<{ consumeMs: number, count: number, idLength: number }>} row
   */
  const find = ([variant, workers], row) =>
    cells.find(
      (cell) =>
        cell.variant === variant &&
        cell.params.workers === workers &&
        cell.median !== null &&
        Object.entries(row).every(([key, value]) => cell.params[key] === value)
    )
  const ratio = (/** @type {number} */ ours, /** @type {number} */ theirs) => (ours / theirs).toFixed(2)
  return [{
    title: 'Initialization, ms: means of the original and of this scenario',
    head: ['', 'total', 'ours', 'ratio', 'worker wait', 'ours'],
    rows: COLUMNS.map((column, i) => {
      const cell = find(column, exports.ROWS[0])
      const [totalMs, waitMs] = publishedInit[i]
      const initMs = cell === undefined ? null : mean(cell.extra.initMs.samples)
      return [nameOf(column), figure(totalMs), initMs === null ? '' : figure(initMs), initMs === null ? '' : ratio(initMs, totalMs), figure(waitMs), cell === undefined ? '' : figure(mean(cell.extra.workerWaitMs.samples))]
    })
  }, ...exports.ROWS.map((row, r) => ({
    title: `Consume ${row.consumeMs} ms, ${row.count} calls, ids of ${row.idLength}: ms, means of the original and ours`,
    head: ['', 'original', 'ours', 'ratio'],
    rows: COLUMNS.map((column, i) => {
      const cell = find(column, row)
      return [nameOf(column), figure(published[r][i]), cell === undefined ? '' : figure(mean(cell.samples)), cell === undefined ? '' : ratio(mean(cell.samples), published[r][i])]
    }),
    notes: row.consumeMs === 0 ? [] : ['Hooks burn wall time, so a hook that waits for a core counts as working.']
  }))]
}

/** @param {(string | number)[]} column */
const nameOf = ([variant, workers]) => variant === 'main' ? 'main' : `${variant} W=${workers}`
