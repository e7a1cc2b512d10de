'use strict'

const { timeseries } = require('./panels')
const { of, growthRate, by } = require('./queries')

/** Matches the main thread. Blocks of worker threads are no loss to requests. */
const MAIN = 'thread="main"'
/** How a process is called in a legend. */
const PROCESS = '{{instance}} {{worker}}'
/** How many processes are chosen. */
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
