'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')

const DIRS = ['dashboards', 'scenarios'].map((name) => path.join(__dirname, '..', '..', 'grafana', name))

/** Every committed dashboard by its file's name. @returns {Map<string, any>} */
exports.dashboards = () => new Map(DIRS.flatMap((dir) => fs.readdirSync(dir).filter((file) => file.endsWith('.json'))
  .map((file) => /** @type {[string, any]} */ ([path.basename(file, '.json'), JSON.parse(fs.readFileSync(path.join(dir, file), 'utf8'))]))))

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

/**
 * Asks a Prometheus what Grafana would, over a time range.
 * @param {{ url: string }} prometheus
 * @param {{ startS: number, endS: number }} range
 */
exports.viewer = ({ url }, { startS, endS }) => {
  const view = { stepS: 1, scrapeS: 1, rangeS: Math.ceil(endS - startS) }
  /** @param {string} api @param {Record<string, string | number>} parameters */
  const call = async (api, parameters) => {
    const response = await fetch(`${url}/api/v1/${api}`, { method: 'POST', body: new URLSearchParams(/** @type {any} */ (parameters)) })
    const { data, error } = /** @type {any} */ (await response.json())
    assert.equal(error, undefined, `${parameters.query}: ${error}`)
    return data
  }
  /**
   * What a panel shows.
   * @param {any} dashboard
   * @param {string} title
   * @param {{ query?: number, variables?: any[], chosen?: Record<string, string[]>, regex?: (value: string) => string
   * }} [differences]
   * @returns {Promise<any[]>}
   */
  const show = async (dashboard, title, { query: index = 0, ...differences } = {}) => {
    const { expr, instant } = exports.queriesOf(dashboard).filter(({ panel }) => panel === title)[index]
    const query = exports.interpolate(expr, { ...view, variables: dashboard.templating.list, ...differences })
    return (await (instant ? call('query', { query, time: endS }) : call('query_range', { query, start: startS, end: endS, step: view.stepS }))).result
  }
  /** The finite numbers of a result. @param {any[]} result @returns {number[]} */
  const numbers = (result) =>
    result
      .flatMap(({ value, values = [value] }) => values.map((/** @type {any} */ pair) => Number(pair[1])))
      .filter(Number.isFinite)
  return {
    view,
    call,
    show,
    numbers,
    /** Queries without a number, as `panel index`. @param {any} dashboard @returns {Promise<string[]>} */
    empty: async (dashboard) => {
      const seen = new Map()
      const found = []
      for (const { panel } of exports.queriesOf(dashboard)) {
        const query = seen.get(panel) ?? 0
        seen.set(panel, query + 1)
        if (numbers(await show(dashboard, panel, { query })).length === 0) found.push(`${panel} ${query}`)
      }
      return found
    },
    /**
     * What the menus of a dashboard offer, by variable.
     * @param {any} dashboard
     * @returns {Promise<Record<string, string[]>>}
     */
    offered: async (dashboard) => {
      const variables = dashboard.templating.list
      return Object.fromEntries(await Promise.all(variables.slice(1).map(async (/** @type {any} */ { name, query }) => {
        const [, series, label] = /^label_values\((.+), (\w+)\)$/.exec(query.query) ?? []
        const response = await fetch(`${url}/api/v1/label/${label}/values?${new URLSearchParams({ 'match[]': exports.interpolate(series, { ...view, variables }) })}`)
        return [name, /** @type {any} */ (await response.json()).data]
      })))
    }
  }
}
