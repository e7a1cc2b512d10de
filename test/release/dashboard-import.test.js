'use strict'

// The dashboards as Grafana's import, grafana.com and provisioning read them: by a schema of those fields, and by what
// each of the three does with them. Queries are in dashboards.test.js.
const test = require('node:test')
const assert = require('node:assert/strict')
const { Ajv } = require('ajv')
const { dashboards } = require('../support/grafana')

/** What only Grafana has by itself. */
const BUILT_IN = ['-- Grafana --', '-- Mixed --', '-- Dashboard --']
// eslint-disable-next-line no-template-curly-in-string
const VARIABLE = '${datasource}'

const text = { type: 'string', minLength: 1 }
const natural = { type: 'integer', minimum: 0 }
/** @param {Record<string, unknown>} properties @param {string[]} [optional] */
const object = (properties, optional = []) =>
  ({ type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) })
/** @param {unknown} items @param {number} [minItems] */
const list = (items, minItems = 1) => ({ type: 'array', items, minItems })

const requirement = {
  ...object({ type: { enum: ['grafana', 'panel', 'datasource', 'app'] }, id: text, name: text, version: { type: 'string', pattern: '^(\\d+\\.\\d+\\.\\d+)?$' } }),
  additionalProperties: false
}
const input = object({
  name: { type: 'string', pattern: '^[A-Z][A-Z0-9_]*$' }, label: text, type: { enum: ['datasource', 'constant'] }, pluginId: text
}, ['pluginId'])
const datasource = object({ type: text, uid: text })
const panel = {
  ...object({
    id: { type: 'integer', minimum: 1 },
    type: text,
    title: text,
    gridPos: object({
      x: { ...natural, maximum: 23 },
      y: natural,
      w: { ...natural, minimum: 1, maximum: 24 },
      h: { ...natural, minimum: 1 }
    })
  }),
  if: { properties: { type: { const: 'row' } } },
  else: object({
    datasource,
    targets: list(object({ refId: text, datasource, expr: text })),
    fieldConfig: { type: 'object' },
    options: { type: 'object' }
  })
}
const importable = new Ajv({ allErrors: true, strictTypes: false, strictRequired: false }).compile(object({
  __inputs: list(input, 0),
  __elements: { type: 'object' },
  __requires: { ...list(requirement), uniqueItems: true },
  id: { type: 'null' },
  uid: { type: 'string', pattern: '^[\\w-]{1,40}$' },
  title: text,
  description: text,
  tags: list(text),
  schemaVersion: { type: 'integer', minimum: 36 },
  time: object({ from: text, to: text }),
  refresh: { type: 'string' },
  templating: object({ list: list(object({ name: text, type: { enum: ['datasource', 'query'] }, label: text })) }),
  panels: list(panel)
}, ['id']))

/**
 * Every data source that something in a dashboard names.
 * @param {any} value
 * @returns {{ type?: string, uid: string }[]}
 */
function sourcesIn (value) {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => key === 'datasource' ? [inner] : sourcesIn(inner))
}

/** @param {{ __requires: { type: string, id: string }[] }} dashboard @param {string} type */
const required = ({ __requires }, type) => __requires.filter((each) => each.type === type).map(({ id }) => id).sort()

for (const [name, dashboard] of dashboards()) {
  test(`${name}: has what an import and grafana.com read`, () => {
    assert.equal(importable(dashboard), true, JSON.stringify(importable.errors, null, 1))
    assert.deepEqual(Object.keys(dashboard).slice(0, 3), ['__inputs', '__elements', '__requires'], 'at its beginning, as in an export')
  })

  test(`${name}: requires what its panels and queries use, and nothing else`, () => {
    const panels = new Set(dashboard.panels.map((/** @type {any} */ { type }) => type).filter((/** @type {string} */ type) => type !== 'row'))
    assert.deepEqual(required(dashboard, 'panel'), [...panels].sort())
    const types = new Set(sourcesIn(dashboard).filter(({ uid }) => !BUILT_IN.includes(uid)).map(({ type }) => type))
    assert.deepEqual(required(dashboard, 'datasource'), [...types].sort())
    assert.deepEqual(required(dashboard, 'grafana'), ['grafana'])
  })

  test(`${name}: works where nobody is asked: its data source is a variable, and no input is left open`, () => {
    assert.deepEqual(dashboard.__inputs, [], 'provisioning, a sidecar and a ConfigMap answer no input')
    const json = JSON.stringify(dashboard)
    assert.doesNotMatch(json, /\$\{?(DS_|VAR_)/, 'what an import would have replaced')
    assert.deepEqual([...new Set(sourcesIn(dashboard).map(({ uid }) => uid))], [VARIABLE])
    const [{ type, query, regex = '', hide = 0 }] = dashboard.templating.list.filter((/** @type {any} */ variable) => VARIABLE === `$\{${variable.name}}`)
    assert.deepEqual([type, query, regex, hide], ['datasource', 'prometheus', '', 0], 'any Prometheus, and the default one at first')
  })
}

test('the schema finds what an import would stumble on', () => {
  const good = () => structuredClone([...dashboards().values()][0])
  /** @type {[string, (dashboard: any) => void][]} */
  const cases = [
    ['__requires', (dashboard) => { delete dashboard.__requires }],
    ['__inputs', (dashboard) => { dashboard.__inputs = [{ name: 'datasource' }] }],
    ['__requires', (dashboard) => { dashboard.__requires[0].version = 'new' }],
    ['uid', (dashboard) => { dashboard.uid = 'a dashboard' }],
    ['id', (dashboard) => { dashboard.id = 7 }],
    ['panels', (dashboard) => { dashboard.panels[0].gridPos.x = 24 }],
    ['panels', (dashboard) => { delete dashboard.panels[1].targets[0].expr }]
  ]
  for (const [field, spoil] of cases) {
    const dashboard = good()
    spoil(dashboard)
    assert.equal(importable(dashboard), false, field)
    assert.ok(importable.errors?.some(({ instancePath, params }) => instancePath.startsWith(`/${field}`) || params.missingProperty === field), field)
  }
})

test('no two dashboards have one uid or title', () => {
  const all = [...dashboards().values()]
  for (const key of ['uid', 'title']) assert.equal(new Set(all.map((dashboard) => dashboard[key])).size, all.length, key)
})
