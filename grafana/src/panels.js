'use strict'

const common = require('@grafana/grafana-foundation-sdk/common')
const { ThresholdsConfigBuilder, ThresholdsMode } = require('@grafana/grafana-foundation-sdk/dashboard')
const heatmaps = require('@grafana/grafana-foundation-sdk/heatmap')
const { DataqueryBuilder, PromQueryFormat } = require('@grafana/grafana-foundation-sdk/prometheus')
const stats = require('@grafana/grafana-foundation-sdk/stat')
const tables = require('@grafana/grafana-foundation-sdk/table')
const lines = require('@grafana/grafana-foundation-sdk/timeseries')
const { byCause } = require('./colors')
const { DATASOURCE } = require('./variables')

/**
 * @typedef {object} Spec of a panel
 * @property {string} title
 * @property {[expression: string, legend: string][]} queries
 * @property {string} unit
 * @property {string} shows
 * @property {string} bad what a bad value looks like
 * @property {string} act what to do about it
 * @property {number} [width] of 24 @property {number} [height]
 * @property {number} [min] @property {number} [max]
 * @property {number} [decimals]
 * @property {number[]} [levels] orange from the first, red from the second
 * @property {string} [none] instead of "No data"
 */

/** @param {Spec} spec */
function describe ({ title, shows, bad, act }) {
  for (const part of [shows, bad, act]) if (!part) throw new Error(`${title}: lacks what it shows, what is bad or what to do`)
  return `${shows}\n\n**Bad:** ${bad}\n\n**Do:** ${act}`
}

/** @param {[string, string][]} queries @param {(query: DataqueryBuilder) => DataqueryBuilder} kind */
const targets = (queries, kind) =>
  queries.map(([expression, legend], index) =>
    kind(
      new DataqueryBuilder()
        .refId(String.fromCharCode(65 + index))
        .datasource(DATASOURCE)
        .expr(expression)
        .legendFormat(legend)
    )
  )

/**
 * @template {any} P
 * @param {P} builder
 * @param {Spec} spec
 * @param {{ width: number, height: number }} size
 * @returns {P}
 */
function panel (builder, spec, size) {
  const { title, unit, width = size.width, height = size.height, min, max, decimals, levels, none } = spec
  const it = /** @type {any} */ (builder)
  it.title(title)
    .description(describe(spec))
    .datasource(DATASOURCE)
    .unit(unit)
    .gridPos({ x: 0, y: 0, w: width, h: height })
  if (min !== undefined) it.min(min)
  if (max !== undefined) it.max(max)
  if (decimals !== undefined) it.decimals(decimals)
  if (none !== undefined) it.noValue(none)
  const colors = ['green', 'orange', 'red']
  const steps = [null, ...(levels ?? [])].map((value, index) => ({ value, color: colors[index] }))
  it.thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(/** @type {any} */ (steps)))
  return builder
}

/** One number. @param {Spec & { reduce?: string, instant?: boolean, text?: common.BigValueTextMode }} spec */
exports.stat = (spec) => panel(new stats.PanelBuilder(), spec, { width: 4, height: 4 })
  .targets(targets(spec.queries, (query) => spec.instant ? query.instant() : query.range()))
  .reduceOptions(new common.ReduceDataOptionsBuilder().calcs([spec.reduce ?? 'lastNotNull']).values(false))
  .colorMode(spec.levels ? common.BigValueColorMode.Background : common.BigValueColorMode.None)
  .graphMode(spec.instant ? common.BigValueGraphMode.None : common.BigValueGraphMode.Area)
  .textMode(spec.text ?? common.BigValueTextMode.Auto)

/** Lines, or stacked bars. @param {Spec & { stacked?: boolean, exemplars?: boolean, log?: boolean }} spec */
exports.timeseries = (spec) => {
  const builder = panel(new lines.PanelBuilder(), { min: 0, ...spec }, { width: 12, height: 8 })
    .targets(targets(spec.queries, (query) => (spec.exemplars ? query.range().exemplar(true) : query.range())))
    .legend(
      new common.VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(common.LegendDisplayMode.Table)
        .placement(common.LegendPlacement.Bottom)
        .calcs(['max', 'lastNotNull'])
    )
    .tooltip(
      new common.VizTooltipOptionsBuilder().mode(common.TooltipDisplayMode.Multi).sort(common.SortOrder.Descending)
    )
    .lineWidth(1)
    .fillOpacity(spec.stacked ? 70 : 8)
    .showPoints(common.VisibilityMode.Auto)
  if (spec.stacked) {
    builder
      .drawStyle(common.GraphDrawStyle.Bars)
      .stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal))
  }
  if (spec.levels) {
    builder.thresholdsStyle(new common.GraphThresholdsStyleConfigBuilder().mode(common.GraphThresholdsStyleMode.Dashed))
  }
  // Otherwise, an axis with only zeros would end at 10,000%.
  if (spec.unit === 'percentunit') builder.axisSoftMax(0.01)
  if (spec.log) {
    builder.scaleDistribution(new common.ScaleDistributionConfigBuilder().type(common.ScaleDistribution.Log).log(10))
  }
  if (spec.queries.some(([, legend]) => legend === '{{cause}}')) {
    for (const [cause, properties] of byCause) builder.overrideByName(cause, properties)
  }
  return builder
}

/** The buckets of a histogram over time. @param {Spec} spec */
exports.heatmap = (spec) => panel(new heatmaps.PanelBuilder(), spec, { width: 12, height: 8 })
  .targets(targets(spec.queries, (query) => query.range().format(PromQueryFormat.Heatmap)))
  .calculate(false)
  // A single event has the first color of the scheme: purple here, which stands out in both themes. The first color of
  // most schemes is close to the background of the dark theme. The scale starts at 0, so that a color means the same
  // in a quiet hour. A scheme has no exponent.
  .color(new heatmaps.HeatmapColorOptionsBuilder().mode(heatmaps.HeatmapColorMode.Scheme).scheme('Warm').steps(64).min(0))
  .yAxis(new heatmaps.YAxisConfigBuilder().unit(spec.unit))
  .filterValues(new heatmaps.FilterValueRangeBuilder().le(1e-9))
  .cellGap(1)
  .tooltip(new heatmaps.HeatmapTooltipBuilder().mode(common.TooltipDisplayMode.Single).yHistogram(true))
  .showLegend()

/**
 * One row for each value of the labels, one column for each query with the legend as its header, sorted by the first
 * column of numbers.
 * @param {Spec & { units?: string[], labels: Record<string, string> }} spec headers of the labels
 */
exports.table = (spec) => {
  const heads = Object.fromEntries(spec.queries.map(([, head], index) => [spec.queries.length === 1 ? 'Value' : `Value #${String.fromCharCode(65 + index)}`, head]))
  const builder = panel(new tables.PanelBuilder(), spec, { width: 12, height: 9 })
    .targets(targets(spec.queries, (query) => query.instant().format(PromQueryFormat.Table)))
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({ id: 'organize', options: { excludeByName: { Time: true }, indexByName: {}, renameByName: { ...heads, ...spec.labels } } })
    .sortBy([new common.TableSortByFieldStateBuilder().displayName(spec.queries[0][1]).desc(true)])
  spec.queries.forEach(([, head], index) => builder.overrideByName(head, [{ id: 'unit', value: spec.units?.[index] ?? spec.unit }]))
  return builder
}
