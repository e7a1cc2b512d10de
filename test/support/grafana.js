'use strict'

const fs = require('node:fs')
const path = require('node:path')

const DIR = path.join(__dirname, '..', '..', 'grafana', 'dashboards')

/** Every committed dashboard by its file's name. @returns {Map<string, any>} */
exports.dashboards = () => new Map(fs.readdirSync(DIR).filter((file) => file.endsWith('.json'))
  .map((file) => [path.basename(file, '.json'), JSON.parse(fs.readFileSync(path.join(DIR, file), 'utf8'))]))

/**
 * Every query of a dashboard, its annotations' included.
 * @param {any} dashboard
 * @returns {{ panel: string, expr: string, instant: boolean, refId: string }[]}
 */
exports.queriesOf = (dashboard) => [
  ...dashboard.panels.filter((/** @type {any} */ { type }) => type !== 'row').flatMap((/** @type {any} */ { title, targets }) =>
    targets.map((/** @type {any} */ { expr, instant, refId }) => ({ panel: title, expr, instant, refId }))),
  ...(dashboard.annotations?.list ?? []).map((/** @type {any} */ { name, expr }) => ({ panel: `annotation ${name}`, expr, instant: false, refId: 'X' }))
]

/**
 * How Grafana writes values of a variable into a query: by default for the inside of a double-quoted
 * PromQL string, with `:regex` as a bare regular expression. Older versions escape the slash there as well.
 */
const doubleQuoted = (/** @type {string} */ value) => value.replace(/\\/g, '\\\\\\\\').replace(/[$^*{}[\]'+?.()|]/g, '\\\\$&')
exports.formats = {
  lodash: (/** @type {string} */ value) => value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  kbn: (/** @type {string} */ value) => value.replace(/[\\^$*+?.()|[\]{}/]/g, '\\$&')
}

/**
 * A query as Grafana sends it.
 * @param {string} query
 * @param {object} view
 * @param {any[]} view.variables of the dashboard
 * @param {Record<string, string[]>} [view.chosen] values by variable; all, where it is missing
 * @param {number} view.stepS @param {number} view.scrapeS @param {number} view.rangeS
 * @param {(value: string) => string} [view.regex] the format of that name
 */
exports.interpolate = (query, { variables, chosen = {}, stepS, scrapeS, rangeS, regex = exports.formats.lodash }) => {
  const rateS = Math.max(stepS + scrapeS, 4 * scrapeS)
  const built = { __rate_interval_ms: `${rateS * 1000}`, __rate_interval: `${rateS}s`, __interval: `${stepS}s`, __range: `${rangeS}s` }
  return query.replace(/\$\{(\w+)(?::(\w+))?\}|\$(\w+)/g, (whole, braced, format, bare) => {
    const name = braced ?? bare
    if (name in built) return built[/** @type {keyof typeof built} */ (name)]
    const variable = variables.find((/** @type {any} */ candidate) => candidate.name === name)
    if (variable === undefined) throw new Error(`no variable ${whole} in ${query}`)
    if (!(name in chosen)) return variable.allValue
    const values = chosen[name].map(format === 'regex' ? regex : doubleQuoted)
    return values.length === 1 ? values[0] : `(${values.join('|')})`
  })
}
