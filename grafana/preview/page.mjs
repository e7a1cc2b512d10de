import { createElement as h, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { createTheme, dateTime, fieldReducers, FieldType, getDisplayProcessor, getMinMaxAndDelta, reduceField, ThemeContext, toDataFrame } from '@grafana/data'
import { BigValue, GlobalStyles, PanelChrome, Table, TimeSeries } from '@grafana/ui'
import { Heatmap } from './heatmap.mjs'

const theme = createTheme({ colors: { mode: 'dark' } })
/** Pixels of a row of a dashboard's grid, and between panels. */
const ROW_PX = 30
const GAP_PX = 8
const COLUMNS = 24
const HEADER_PX = 44
/** Defaults of Grafana's panels. */
const CUSTOM = {
  drawStyle: 'line',
  lineInterpolation: 'linear',
  lineStyle: { fill: 'solid' },
  pointSize: 5,
  spanNulls: false,
  gradientMode: 'none',
  barAlignment: 0,
  axisPlacement: 'auto',
  axisColorMode: 'text',
  scaleDistribution: { type: 'linear' },
  stacking: { mode: 'none', group: 'A' },
  thresholdsStyle: { mode: 'off' },
  hideFrom: { legend: false, tooltip: false, viz: false }
}

/** @param {string} format @param {Record<string, string>} metric */
const legendOf = (format, metric) => format && format !== '__auto'
  ? format.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, label) => metric[label] ?? '').replace(/ +/g, ' ').trim()
  : Object.entries(metric).map(([label, value]) => `${label}="${value}"`).join(', ')

/**
 * The settings of a field, with the panel's exceptions by name.
 * @param {any} panel
 * @param {string} name
 * @param {any} own
 */
function configOf ({ fieldConfig: { defaults, overrides = [] } }, name, own = {}) {
  /** @type {any} */
  const config = {
    ...defaults,
    ...own,
    custom: { ...CUSTOM, ...defaults.custom, stacking: { ...CUSTOM.stacking, ...defaults.custom?.stacking } }
  }
  // The first step begins at minus infinity, which JSON does not have.
  if (config.thresholds) {
    config.thresholds = {
      ...config.thresholds,
      steps: config.thresholds.steps.map((step) => ({ ...step, value: step.value ?? -Infinity }))
    }
  }
  for (const { matcher, properties } of overrides) {
    if (matcher.options !== name) continue
    for (const { id, value } of properties) {
      if (id.startsWith('custom.')) config.custom[id.slice('custom.'.length)] = value
      else config[id] = value
    }
  }
  return config
}

/** @param {any} field */
function finish (field) {
  field.display = getDisplayProcessor({ field, theme })
  if (field.type === FieldType.number) field.state = { ...field.state, range: getMinMaxAndDelta(field) }
  return field
}

/**
 * One frame for each series, null where it has no value.
 * @param {any} panel
 * @param {string} color mode
 * @param {any} view
 */
const framesOf = (panel, color, { fromMs, toMs, stepMs }) =>
  panel.answers
    .flatMap((/** @type {any} */ { legendFormat, result }) =>
      result.map((/** @type {any} */ series) => ({ ...series, name: legendOf(legendFormat, series.metric) }))
    )
    .map(({ name, values, value }, /** @type {number} */ index) => {
      const known = new Map((values ?? [value]).map(([atS, text]) => [Math.round(atS * 1000), Number(text)]))
      const times = Array.from({ length: Math.floor((toMs - fromMs) / stepMs) + 1 }, (_, i) => fromMs + i * stepMs)
      const numbers = times.map((at) => known.get(at)).map((number) => (Number.isFinite(number) ? number : null))
      const frame = toDataFrame({
        name,
        fields: [
          { name: 'Time', type: FieldType.time, values: values ? times : [toMs], config: {} },
          {
            name,
            type: FieldType.number,
            values: values ? numbers : [Number(value[1])],
            config: configOf(panel, name, {
              displayName: name,
              color: panel.fieldConfig.defaults.color ?? { mode: color }
            })
          }
        ]
      })
      frame.fields[1].state = { seriesIndex: index, displayName: name }
      frame.fields.forEach(finish)
      return frame
    })

function Lines ({ panel, view, width, height }) {
  const frames = framesOf(panel, 'palette-classic', view)
  if (frames.length === 0) return h(Nothing, { panel })
  const range = { from: dateTime(view.fromMs), to: dateTime(view.toMs), raw: { from: 'now-1h', to: 'now' } }
  return h(TimeSeries, { frames, structureRev: 1, timeRange: range, timeZone: 'utc', width, height, legend: panel.options.legend, options: panel.options, replaceVariables: (text) => text })
}

function Numbers ({ panel, view, width, height }) {
  const frames = framesOf(panel, 'thresholds', view)
  if (frames.length === 0) return h(Nothing, { panel })
  const { reduceOptions: { calcs: [calc] }, colorMode, graphMode, textMode } = panel.options
  return h('div', { style: { display: 'flex' } }, frames.map((frame, i) => {
    const [time, field] = frame.fields
    const value = {
      ...field.display(reduceField({ field, reducers: [calc] })[fieldReducers.get(calc).id]),
      title: field.name
    }
    const sparkline = graphMode === 'area' && field.values.length > 1 ? { x: time, y: field } : undefined
    return h(BigValue, { key: i, value, sparkline, colorMode, graphMode, textMode: frames.length === 1 && textMode === 'auto' ? 'value' : textMode, justifyMode: 'auto', theme, width: width / frames.length, height })
  }))
}

/** Does the work of the transformations merge and organize. */
function Rows ({ panel, width, height }) {
  const { renameByName } = panel.transformations.find(({ id }) => id === 'organize').options
  const rows = new Map()
  const labels = new Set()
  const heads = panel.answers.map(({ refId }) => panel.answers.length === 1 ? 'Value' : `Value #${refId}`)
  panel.answers.forEach(({ result }, /** @type {number} */ i) => result.forEach(({ metric, value }) => {
    Object.keys(metric).forEach((label) => labels.add(label))
    const key = JSON.stringify(Object.entries(metric).sort())
    rows.set(key, { ...rows.get(key), ...metric, [heads[i]]: Number(value[1]) })
  }))
  if (rows.size === 0) return h(Nothing, { panel })
  const sorted = [...rows.values()].sort((a, b) => (b[heads[0]] ?? 0) - (a[heads[0]] ?? 0))
  const fields = [...labels, ...heads].map((column) => {
    const name = renameByName[column] ?? column
    const isText = labels.has(column)
    return finish({
      name,
      type: isText ? FieldType.string : FieldType.number,
      values: sorted.map((row) => row[column] ?? null),
      config: isText ? { custom: {} } : configOf(panel, name)
    })
  })
  return h(Table, { data: toDataFrame({ fields }), width, height, columnMinWidth: 80 })
}

function Nothing ({ panel }) {
  return h('div', { style: { height: '100%', display: 'flex', alignItems: 'center', justifyContent: 'center', fontSize: 18, color: theme.colors.text.secondary } }, panel.fieldConfig.defaults.noValue ?? 'No data')
}

const kinds = { timeseries: Lines, stat: Numbers, table: Rows, heatmap: Heatmap }

function Dashboard ({ view }) {
  const { panels, width, title } = view
  const [isDone, setDone] = useState(false)
  // Charts are drawn in the frames after they are mounted.
  useEffect(() => { setTimeout(() => setDone(true), 1500) }, [])
  const columnPx = (width - GAP_PX) / COLUMNS
  const items = panels.map((panel) => {
    const { x, y, w, h: rows } = panel.gridPos
    const box = { width: w * columnPx - GAP_PX, height: rows * (ROW_PX + GAP_PX) - GAP_PX }
    const style = { position: 'absolute', left: GAP_PX + x * columnPx, top: HEADER_PX + y * (ROW_PX + GAP_PX), ...box }
    if (panel.type === 'row') return h('div', { key: panel.id, style: { ...style, fontSize: 16, fontWeight: 500, lineHeight: `${ROW_PX}px` } }, panel.title)
    return h('div', { key: panel.id, style }, h(PanelChrome, { title: panel.title, ...box }, (innerWidth, innerHeight) => h(kinds[panel.type], { panel, view, width: innerWidth, height: innerHeight, theme })))
  })
  return h(ThemeContext.Provider, { value: theme },
    h(GlobalStyles, {}),
    h('div', { className: isDone ? 'done' : '', style: { position: 'relative', minHeight: 4000, background: theme.colors.background.canvas, color: theme.colors.text.primary } },
      h('div', { style: { position: 'absolute', left: GAP_PX, top: 10, fontSize: 18, fontWeight: 500 } }, title), items))
}

createRoot(document.getElementById('root')).render(h(Dashboard, { view: globalThis.view }))
