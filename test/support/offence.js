'use strict'

const { makeRecord } = require('./record')

/** @typedef {import('../../lib/cli/test/offences').Offence} Offence */

/**
 * A place that broke the limit in a test command.
 * @param {Partial<Offence>} [differences]
 * @returns {Offence}
 */
exports.makeOffence = (differences = {}) => ({
  function: 'report',
  within: null,
  file: 'lib/report.js',
  line: 41,
  column: 13,
  isExact: true,
  package: null,
  call: null,
  twin: null,
  longestMs: 120,
  count: 2,
  cause: 'js',
  tests: [{ file: 'test/a.test.js', name: 'orders > are "fast" & <small>', others: 0 }],
  records: [makeRecord()],
  state: 'new',
  knownMs: null,
  reason: null,
  ...differences
})

/** @param {Offence[]} offences @returns {import('../../lib/cli/test/report').Outcome} */
exports.makeOutcome = (offences) => ({
  offences,
  gone: [],
  passedOver: {},
  overMs: 50,
  isSync: false,
  hasCpuTimes: true,
  processes: 3,
  watched: 3,
  unwatched: 0,
  unwatchedTests: 0,
  hasWatchedNothing: false,
  code: 0,
  isInterrupted: false
})
