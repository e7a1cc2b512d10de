'use strict'

const { bars, own } = require('../harness/report/bars')

/** @typedef {import('../harness/interface').Cell} Cell */

const MEANS = ['inline', 'fork', 'worker', 'pool']

const held = (/** @type {Cell} */ { extra }) => extra.heldMs ?? null

/** @param {import('../harness/interface').Document} document @returns {import('../harness/interface').Chart[]} */
exports.charts = ({ cells }) => {
  const plain = cells.filter(({ variant }) => MEANS.includes(variant))
  /**
   * @param {string} key
   * @param {(cell: Cell) => boolean} keep
   * @param {(value: any) => string} label
   * @param {(cell: Cell) => import('../harness/interface').Summary | null} read
   */
  const groups = (key, keep, label, read) =>
    [...new Set(plain.filter(keep).map(({ params }) => params[key]))].map((value) => ({
      label: label(value),
      bars: bars(
        plain.filter((cell) => keep(cell) && cell.params[key] === value),
        read
      )
    }))
  const isPlain = (/** @type {Cell} */ { params }) => params.inputKiB === 0 && params.parallel === 1
  const hasInput = (/** @type {Cell} */ { params }) =>
    params.workMs === 1 && params.parallel === 1 && params.inputKiB !== 0
  return [
    { title: 'How long the caller is blocked, by size of the work', unit: 'ms', note: 'Lower is better. Inline is the work itself; a shorter bar means a freer loop.', groups: groups('workMs', isPlain, (ms) => `${ms} ms`, held) },
    { title: 'Time until the result arrives, by size of the work', unit: 'ms', note: 'Lower is better. It includes starting the process or thread.', groups: groups('workMs', isPlain, (ms) => `${ms} ms`, own) },
    { title: 'How long the caller is blocked, by size of the input', unit: 'ms', note: 'Lower is better. Sending copies the input on the caller.', groups: groups('inputKiB', hasInput, (kib) => `${kib} KiB`, held) },
    { title: 'How long the caller is blocked, by tasks at once', unit: 'ms', note: 'Lower is better. All starts happen in one turn of the loop.', groups: groups('parallel', ({ params }) => params.workMs === 10 && params.inputKiB === 0, (count) => `${count} at once`, held) }
  ].filter((chart) => chart.groups.length > 0)
}
