'use strict'

const { figure } = require('../harness/report/format')

/** Output of the original on its author's machine with Node.js 16. */
const published = {
  'fork-at-top-level': { name: 'fork', elapsedNs: 5651059080, blockMs: 3.386962999343872 },
  'worker-at-top-level': { name: 'Worker', elapsedNs: 5875327627, blockMs: null }
}
const NS_PER_MS = 1e6

/**
 * @param {import('../harness/interface').Document} document
 * @returns {import('../harness/interface').Comparison[]}
 */
exports.compare = ({ cells }) => [{
  title: 'The original\'s runs and ours (medians): elapsed ns, and blocks of the caller above 3 ms',
  head: ['', 'elapsed ns', 'ours', 'ratio', 'blocked-at, ms', 'ours', 'the start itself, ms', 'agent: the block with it, ms'],
  rows: Object.entries(published).map(([variant, { name, elapsedNs, blockMs }]) => {
    const cell = cells.find((each) => each.variant === variant)
    const known = cell !== undefined && cell.median !== null
    return [
      name, figure(elapsedNs), known ? figure(Number(cell.median) * NS_PER_MS) : '', known ? (Number(cell.median) * NS_PER_MS / elapsedNs).toFixed(2) : '',
      blockMs === null ? 'none' : figure(blockMs), known ? figure(cell.extra.blockedAtMaxMs?.median) || 'none' : '',
      known ? figure(cell.extra.startMs.median) : '', known ? figure(cell.extra.agentStartMs?.median) || 'none' : ''
    ]
  }),
  notes: ['The start is a call at the top level, which blocked-at does not see. The agent reports it with what else ran before the loop\'s first turn: its own start, loading child_process or worker_threads and blocked-at.']
}]
