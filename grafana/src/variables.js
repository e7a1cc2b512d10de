'use strict'

const { DatasourceVariableBuilder, QueryVariableBuilder, VariableRefresh, VariableSort } = require('@grafana/grafana-foundation-sdk/dashboard')

// eslint-disable-next-line no-template-curly-in-string
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' }

/**
 * A variable with the values of a label. At first, all of them are chosen.
 * @param {string} name
 * @param {string} series the metric with that label
 * @param {string} description
 * @param {string} allValue `.+`, or `.*` if All includes series without the label
 */
const labelVariable = (name, series, description, allValue = '.+') => {
  const query = `label_values(${series}, ${name})`
  return new QueryVariableBuilder(name)
    .label(`${name[0].toUpperCase()}${name.slice(1)}`)
    .description(description)
    .datasource(DATASOURCE)
    .query({ query, refId: 'StandardVariableQuery' })
    .definition(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.NaturalAsc)
    .multi(true)
    .includeAll(true)
    .allValue(allValue)
    .current({ selected: true, text: ['All'], value: ['$__all'] })
}

const datasource = () => new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus')

/** The first three of every dashboard. @param {string} metric that every target has */
const targetVariables = (metric) => [
  datasource(),
  labelVariable('job', metric, 'Scrape jobs'),
  labelVariable('instance', `${metric}{job=~"$job"}`, 'Scraped addresses: a process, or the primary of a cluster')
]

/** The variables of dashboards about applications. */
const applicationVariables = () => [
  ...targetVariables('loopwatch_build_info'),
  labelVariable('worker', 'loopwatch_build_info{job=~"$job", instance=~"$instance"}', 'Workers of a cluster by slot; only All includes processes outside a cluster', '.*'),
  labelVariable('route', 'loopwatch_http_request_duration_seconds_count{job=~"$job", instance=~"$instance", worker=~"$worker"}', 'Routes as the application declares them; only All includes (none) and everything else', '.*')
]

module.exports = { DATASOURCE, labelVariable, targetVariables, applicationVariables }
