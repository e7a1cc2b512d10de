'use strict'

const { timeseries } = require('./panels')
const { of, growthRate, by } = require('./queries')

/** Matches the main thread. Blocks of worker threads do not delay requests. */
const MAIN = 'thread="main"'
/** Name of a process in a legend. */
const PROCESS = '{{instance}} {{worker}}'
/** Number of chosen processes. */
const processes = by('count', '', of('buildInfo'))

/**
 * The share of time blocked, averaged over the chosen processes, by a label.
 * @param {string} label
 * @param {string} blocked the seconds, by that label
 * @param {{ title: string, shows: string, bad: string, act: string }} texts
 */
const blockedBy = (label, blocked, texts) => timeseries({
  queries: [[`${by('sum', label, growthRate(blocked))} / scalar(${processes})`, `{{${label}}}`]],
  unit: 'percentunit',
  stacked: true,
  none: 'no blocks',
  ...texts
})

module.exports = { MAIN, PROCESS, blockedBy, processes }
