import { createElement as h } from 'react'
import { getValueFormat } from '@grafana/data'

const AXIS_PX = { left: 64, bottom: 22 }
const TICKS = 6
/** The scheme Warm, from few to many. */
const COLORS = [[110, 64, 170], [191, 60, 175], [254, 75, 131], [255, 120, 71], [226, 183, 47], [175, 240, 91]]

/** @param {number} share 0 to 1 */
const colorOf = (share) => `rgb(${COLORS[Math.round(share * (COLORS.length - 1))].join()})`

/** The buckets of a histogram over time. Each cell counts the values between two bounds. */
export function Heatmap ({ panel, view: { fromMs, toMs, stepMs }, width, height, theme }) {
  const series = panel.answers[0].result.map(({ metric, values }) => ({ le: metric.le === '+Inf' ? Infinity : Number(metric.le), values: new Map(values.map(([atS, text]) => [Math.round(atS * 1000), Number(text)])) }))
    .sort((a, b) => a.le - b.le)
  const bands = series.map(({ le, values }, i) => ({
    le,
    counts: new Map([...values].map(([at, count]) => [at, count - (series[i - 1]?.values.get(at) ?? 0)]))
  }))
  const most = Math.max(...bands.flatMap(({ counts }) => [...counts.values()]), 1e-9)
  const rowPx = (height - AXIS_PX.bottom) / Math.max(1, bands.length)
  const xOf = (at) => AXIS_PX.left + (at - fromMs) / (toMs - fromMs) * (width - AXIS_PX.left)
  const format = getValueFormat(panel.fieldConfig.defaults.unit)
  const textOf = (le) => {
    if (!Number.isFinite(le)) return '+Inf'
    const { text, suffix = '' } = format(le)
    return `${text}${suffix}`
  }
  const ink = { fill: theme.colors.text.secondary, fontSize: 11 }
  return h('svg', { width, height },
    bands.flatMap(({ le, counts }, i) => [...counts].filter(([, count]) => count > 1e-9).map(([at, count]) =>
      h('rect', { key: `${le} ${at}`, x: xOf(at - stepMs), y: height - AXIS_PX.bottom - (i + 1) * rowPx, width: Math.max(1, xOf(at) - xOf(at - stepMs) - 1), height: rowPx - 1, fill: colorOf(count / most) }))),
    bands.map(({ le }, i) => h('text', { key: le, ...ink, x: AXIS_PX.left - 6, y: height - AXIS_PX.bottom - i * rowPx - rowPx / 2 + 4, textAnchor: 'end' }, textOf(le))),
    Array.from({ length: TICKS }, (_, i) => fromMs + (i + 0.5) * (toMs - fromMs) / TICKS).map((at) =>
      h('text', { key: at, ...ink, x: xOf(at), y: height - 6, textAnchor: 'middle' }, new Date(at).toISOString().slice(11, 16))))
}
