'use strict'

const { causes } = require('../../lib/tables/causes')

/** Overrides by the name of the series: a cause looks the same in every panel. */
exports.byCause = Object.entries(causes).map(([cause, { color }]) => /** @type {[string, { id: string, value: unknown }[]]} */ ([cause, [{ id: 'color', value: { mode: 'fixed', fixedColor: color.grafana } }]]))
