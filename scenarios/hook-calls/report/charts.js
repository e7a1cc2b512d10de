'use strict'

/** @typedef {import('../../harness/interface').Cell} Cell */

const LONGEST_ID = 1000000

/** @param {Cell} cell */
const name = ({ variant, params }) => variant === 'main' ? variant : `${variant} W=${params.workers}`

/** @param {Cell} cell */
const bar = (cell) =>
  cell.median === null
    ? []
    : [
        {
          series: name(cell),
          value: cell.median,
          low: cell.min ?? undefined,
          high: cell.max ?? undefined,
          oversubscribed: cell.oversubscribed
        }
      ]

/** @param {Cell[]} cells @param {(cell: Cell) => string} label */
const groupsBy = (cells, label) =>
  [...new Set(cells.map(label))].map((each) => ({
    label: each,
    bars: cells.filter((cell) => label(cell) === each).flatMap(bar)
  }))

/**
 * The document's three charts.
 * @param {import('../../harness/interface').Document} document
 * @returns {import('../../harness/interface').Chart[]}
 */
exports.charts = ({ cells }) => {
  const measured = cells.filter(({ median }) => median !== null)
  const starts = measured.filter(
    (cell, i) => measured.findIndex((other) => name(other) === name(cell)) === i && cell.params.consumeMs === 0
  )
  const short = measured.filter(({ params }) => params.idLength === 30)
  const long = measured.filter(({ params }) => params.consumeMs === 10)
  return [
    {
      title: 'Time to initialize',
      unit: 'ms',
      stacked: true,
      note: 'Lower is better. The first part runs on the main thread until the last worker is constructed; the second is the wait for them.',
      groups: starts.map((cell) => {
        const [initMs, waitMs] = [cell.extra.initMs.median, cell.extra.workerWaitMs.median]
        return { label: name(cell), bars: [{ series: 'constructing', value: Math.max(0, initMs - waitMs), oversubscribed: cell.oversubscribed }, { series: 'waiting for the workers', value: waitMs, oversubscribed: cell.oversubscribed }] }
      })
    },
    { title: 'Overhead of calling: time for all calls, by the work of the hook', unit: 'ms', note: 'Lower is better.', groups: groupsBy(short, ({ params }) => `${params.consumeMs} ms, ${params.count} calls${params.uneven === undefined ? '' : ', uneven'}`) },
    { title: 'Overhead of data: time for all calls, by the length of the ids', unit: 'ms', note: `Lower is better. Each hook works for 10 ms; an id of ${LONGEST_ID} characters is 1 MB.`, groups: groupsBy(long, ({ params }) => `ids of ${params.idLength}, ${params.count} calls`) }
  ]
}
