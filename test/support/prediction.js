'use strict'

/** @typedef {import('../../lib/store/what-if').Prediction} Prediction */

/**
 * What a worker thread would do with the function of makeRecord().
 * @param {Partial<Prediction>} [differences]
 * @returns {Prediction}
 */
exports.makePrediction = (differences = {}) => ({
  function: 'report',
  file: '/srv/app/report.js',
  line: 41,
  verdict: 'pays',
  reason: null,
  p99: [{ work: 'GET /report', beforeMs: 480, afterMs: 475 }, { work: 'any other request', beforeMs: 430, afterMs: 2.1 }],
  workMs: 48,
  cloningMs: 0.4,
  measuredAt: '2026-11-24T10:00:00.000Z',
  how: 'under ten connections on /report for 10 s',
  ...differences
})
