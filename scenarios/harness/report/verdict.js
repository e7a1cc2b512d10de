'use strict'

const { count } = require('./format')
const { FEWEST } = require('../measure/stats')

/** Without a verdict of its own: what the question needs was left out by --only, was skipped, or failed. */
const NONE = 'No verdict: what the question needs was not measured in this run.'

/**
 * The question of a scenario answered in plain words, with what a reader must know beside it.
 * @param {import('../interface').Document} document
 * @param {import('../interface').Scenario} scenario
 */
exports.verdictOf = (document, scenario) => {
  const failed = document.cells.filter(({ error }) => error !== null).length
  return [
    scenario.verdict?.(document) ?? NONE,
    ...(document.mode === 'quick' && document.repeats < FEWEST ? ['A quick run is not to quote: run it without --quick for intervals.'] : []),
    ...(failed === 0 ? [] : [`${count(failed)} of ${count(document.cells.length)} cells failed and have no part in this.`])
  ].join(' ')
}
