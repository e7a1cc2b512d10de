'use strict'

/** Heatmaps of this kind begin with it, and the dashboards have been made for it since. */
const GRAFANA = '9.0.0'

/** What Grafana calls the plugins that its own dashboards name. */
const PANELS = { heatmap: 'Heatmap', stat: 'Stat', table: 'Table', timeseries: 'Time series' }

/**
 * What a dashboard needs, as Grafana writes it when one is exported for others: an import and grafana.com read it.
 * Inputs are empty on purpose. An import replaces each by an answer, but provisioning, a sidecar and a ConfigMap ask
 * nobody, and would leave `DS_PROMETHEUS` in every query. The data source is a variable instead, chosen at the top.
 * @param {any} dashboard with its panels
 */
exports.shareable = (dashboard) => {
  const types = [...new Set(dashboard.panels.map((/** @type {any} */ { type }) => type))].filter((type) => type !== 'row').sort()
  return {
    __inputs: [],
    __elements: {},
    __requires: [
      { type: 'grafana', id: 'grafana', name: 'Grafana', version: GRAFANA },
      { type: 'datasource', id: 'prometheus', name: 'Prometheus', version: '1.0.0' },
      ...types.map((type) => ({ type: 'panel', id: type, name: PANELS[/** @type {keyof typeof PANELS} */ (type)], version: '' }))
    ],
    ...dashboard
  }
}
