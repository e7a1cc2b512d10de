'use strict'

/** @typedef {import('../harness/interface').Cell} Cell */

const BEST_DEPTH = 256

/** @param {Cell[]} cells */
const bars = (cells) =>
  cells.flatMap(({ variant, median, min, max, oversubscribed }) =>
    median === null
      ? []
      : [{ series: variant, value: median, low: min ?? undefined, high: max ?? undefined, oversubscribed }]
  )

/** @param {Cell[]} cells @param {'payload' | 'depth'} key @param {(value: any) => string} label */
const groupsBy = (cells, key, label) => [...new Set(cells.map(({ params }) => params[key]))]
  .map((value) => ({ label: label(value), bars: bars(cells.filter(({ params }) => params[key] === value)) }))

/** @param {import('../harness/interface').Document} document @returns {import('../harness/interface').Chart[]} */
exports.charts = ({ cells, mode }) => {
  const alone = cells.filter(({ params }) => params.depth === 1)
  const longest = (/** @type {Cell} */ { params }) => params.run === undefined || params.run === '60s'
  return [
    { title: 'One message in flight, by payload', unit: 'messages/s', note: mode === 'faithful' ? 'Runs of 60 s.' : 'Each message waits for the one before: the time of a round trip.', groups: groupsBy(alone.filter(longest), 'payload', String) },
    { title: 'Small messages, by how many are in flight', unit: 'messages/s', note: `With ${BEST_DEPTH} in flight nobody waits to be woken: what is left is the price of a message.`, groups: mode === 'faithful' ? [] : groupsBy(cells.filter(({ params }) => params.payload === 'small'), 'depth', (depth) => `${depth} in flight`) }
  ]
}
