'use strict'

const { figure } = require('../harness/report/format')

const RUN_SECONDS = [10, 60]
/**
 * Messages of the original's runs on its author's laptop, by seconds and payload: processes, threads.
 * @type {Record<number, Record<string, [number, number]>>}
 */
const published = {
  10: {
    small: [252384, 520274],
    medium: [123592, 173562],
    big: [5855, 6594],
    huge: [1054, 1041],
    bigstring: [10989, 187678]
  },
  60: {
    small: [2574830, 5284697],
    medium: [698205, 1271630],
    big: [41378, 74799],
    huge: [5801, 8161],
    bigstring: [48560, 914907]
  }
}
/** Its two ways, by our names. */
const WAYS = ['fork-json', 'worker-clone']

/** @param {string} module @returns {import('../harness/interface').CellPlan[]} */
exports.faithfulCells = (module) =>
  RUN_SECONDS.flatMap((run) =>
    Object.keys(published[run]).flatMap((payload) =>
      WAYS.map((variant) => ({
        variant,
        params: { payload, depth: 1, run: `${run}s` },
        module,
        seconds: run,
        busy: 2
      }))
    )
  )

/** @param {number} share */
const percent = (share) => `${Math.round(share * 100)}%`

/**
 * The original's two tables, row by row, ours next to them.
 * @param {import('../harness/interface').Document} document
 * @returns {import('../harness/interface').Comparison[]}
 */
exports.compare = ({ cells, seconds }) => RUN_SECONDS.map((run) => ({
  title: `${run} s runs of the original and ours, messages processed`,
  head: ['payload', 'process', 'ours', 'ratio', 'thread', 'ours', 'ratio', 'thread / process', 'ours'],
  rows: Object.entries(published[run]).map(([payload, theirs]) => {
    const ours = WAYS.map((way) => {
      const perSecond = cells.find(({ variant, params }) => variant === way && params.payload === payload && params.run === `${run}s`)?.median
      return typeof perSecond === 'number' ? perSecond * run : null
    })
    const [process, thread] = ours
    return [
      payload,
      ...WAYS.flatMap((_, i) => { const own = ours[i]; return [figure(theirs[i]), figure(own), own === null ? '' : (own / theirs[i]).toFixed(2)] }),
      percent(theirs[1] / theirs[0]),
      process === null || thread === null ? '' : percent(thread / process)
    ]
  }),
  notes: seconds === null || seconds === run ? [] : [`Ours were measured over ${seconds} s and scaled to ${run} s.`]
}))
