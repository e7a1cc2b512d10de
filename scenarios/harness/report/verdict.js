'use strict'

const { count } = require('./format')
const { FEWEST } = require('../measure/stats')

/** If what the question needs was left out by --only, was skipped, or failed. */
const NONE = 'No verdict: this run did not measure what the question needs.'

/**
 * The answer to a scenario's question, with what a reader must know about it.
 * @param {import('../interface').Document} document
 * @param {import('../interface').Scenario} scenario
 */
exports.verdictOf = (document, scenario) => {
  const failed = document.cells.filter(({ error }) => error !== null).length
  return [
    scenario.verdict?.(document) ?? NONE,
    ...(document.mode === 'quick' && document.repeats < FEWEST ? [`${document.repeats === 1 ? 'One quick run' : 'Two quick runs'} of each, not to quote: run it without --quick for intervals.`] : []),
    ...(failed === 0 ? [] : [`${count(failed)} of ${count(document.cells.length)} cells failed and ${failed === 1 ? 'is' : 'are'} left out.`])
  ].join(' ')
}
