'use strict'

/** @typedef {import('../interface').Cell} Cell */
/** @typedef {import('../interface').Summary} Summary */

/**
 * The bars of a group: one for each cell that has the figure.
 * @param {Cell[]} cells
 * @param {(cell: Cell) => Summary | null | undefined} read
 * @param {(cell: Cell) => string} [series]
 * @returns {import('../interface').Chart['groups'][number]['bars']}
 */
exports.bars = (cells, read, series = ({ variant }) => variant) => cells.flatMap((cell) => {
  const summary = read(cell)
  if (!summary) return []
  const { median: value, min: low, max: high } = summary
  return [{ series: series(cell), value, low, high, oversubscribed: cell.oversubscribed }]
})

/** The figure that a scenario is about. @param {Cell} cell @returns {Summary | null} */
exports.own = ({ median, min, max, ci95, samples }) =>
  median === null || min === null || max === null ? null : { median, min, max, ci95, samples }
