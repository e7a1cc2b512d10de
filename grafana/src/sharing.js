'use strict'

/** The oldest Grafana with this kind of heatmap. */
const GRAFANA = '9.0.0'

/** Names of Grafana's plugins, as its own exports write them. */
const PANELS = { heatmap: 'Heatmap', stat: 'Stat', table: 'Table', timeseries: 'Time series' }

/**
 * Adds what a dashboard requires, as in an export of Grafana "for sharing externally": an import and grafana.com read
 * it. `__inputs` is empty because provisioning, a sidecar and a ConfigMap cannot prompt for values, and would leave
 * `DS_PROMETHEUS` in every query. Instead, the data source is a variable that users choose at the top.
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
