'use strict'

/**
 * Pushes blocks to Pyroscope where that is asked for, else null.
 * @param {import('../../options/table').ResolvedOptions} options
 * @param {object} agent
 * @param {import('../health').Health} agent.degradations
 * @param {import('../../export/prometheus/metrics').Metrics} agent.metrics
 */
exports.startPyroscope = ({ pyroscope: url, labels }, { degradations, metrics }) => {
  if (url === undefined) return null
  // Loaded then: what pushes is more than what watches.
  const { PyroscopePush } = require('../../export/profiles/pyroscope')
  return new PyroscopePush({
    url,
    labels,
    onState: (error) => degradations.set('pyroscope', error),
    onLost: (profiles) => metrics.drop('profile', profiles)
  })
}
