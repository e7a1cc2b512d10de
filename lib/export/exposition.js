'use strict'

const { Registry } = require('./prom-client')

/** @typedef {import('../cluster/series').Metric} Metric */

/**
 * All that a registry holds, as plain JSON.
 * @param {import('prom-client').Registry} registry
 * @returns {Promise<Metric[]>}
 */
exports.snapshotOf = async (registry) => {
  const metrics = /** @type {any[]} */ (await registry.getMetricsAsJSON())
  return metrics.map(({ name, help, type, values }) => ({
    name,
    help,
    type,
    values: values.map((/** @type {any} */ { labels, sharedLabels, value, metricName, exemplar }) => ({ labels: { ...sharedLabels, ...labels }, value, metricName, exemplar }))
  }))
}

/**
 * Metrics as snapshotOf() gives them, as text.
 * @param {Metric[]} metrics
 * @param {boolean} openMetrics with exemplars
 * @returns {Promise<string>}
 */
exports.renderSnapshot = (metrics, openMetrics) => {
  /** @type {import('prom-client').Registry} */
  const registry = new Registry()
  if (openMetrics) registry.setContentType(/** @type {any} */ (Registry.OPENMETRICS_CONTENT_TYPE))
  for (const metric of metrics) {
    // OpenMetrics names a counter without its suffix; prom-client puts it back on.
    const name = openMetrics && metric.type === 'counter' ? metric.name.replace(/_total$/, '') : metric.name
    registry.registerMetric(/** @type {any} */ ({ ...metric, get: async () => ({ ...metric, name }) }))
  }
  return registry.metrics()
}
