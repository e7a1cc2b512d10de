'use strict'

const { figure } = require('./format')

const WIDTH = 600
const NAMES = 135
/** Of a name, in the font of the report. */
const CHARACTER = 6.7
const NAME_GAP = 8
const VALUES = 155
const ROW = 22
const BAR = 14
const GROUP_GAP = 10
const AXIS = 26
const TICKS = 5
/** Where values differ by more, the small ones would be no more than a line. */
const LOG_FROM_RATIO = 100
const COLORS = 6

/** @typedef {import('../interface').Chart} Chart */
/** @typedef {Chart['groups'][number]['bars'][number]} Bar */

/** @param {unknown} text */
const escape = (text) => String(text).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** @param {number} x @param {number} y @param {string} text @param {string} [attributes] */
const label = (x, y, text, attributes = '') => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${escape(text)}</text>`

/** @param {number} x @param {number} y @param {number} width @param {string} attributes */
const rectangle = (x, y, width, attributes) => `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(1, width).toFixed(1)}" height="${BAR}" ${attributes}/>`

/** @param {Chart} chart @param {number[]} values above 0 */
function isLogarithmic ({ scale, stacked }, values) {
  if (stacked === true || values.length === 0) return false
  return scale === undefined ? Math.max(...values) / Math.min(...values) > LOG_FROM_RATIO : scale === 'log'
}

/** From a chart's values to positions. @param {Chart} chart */
async function makeScale (chart) {
  // An ES module, which Node.js 20 takes by import() only.
  const { scaleLinear, scaleLog } = await import('d3-scale')
  const all = chart.groups.flatMap(({ bars }) =>
    chart.stacked
      ? bars.reduce((sum, { value }) => sum + value, 0)
      : bars.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value])
  )
  const positive = all.filter((value) => value > 0)
  const names = chart.groups.flatMap(({ label, bars }) => chart.stacked ? [label] : bars.map(({ series }) => series))
  const range = [Math.max(NAMES, NAME_GAP + CHARACTER * Math.max(...names.map(({ length }) => length))), WIDTH - VALUES]
  if (isLogarithmic(chart, positive)) {
    const from = 10 ** Math.floor(Math.log10(Math.min(...positive)))
    return {
      isLog: true,
      scale: scaleLog()
        .domain([from, Math.max(...positive, from * 10)])
        .nice()
        .range(range)
        .clamp(true)
    }
  }
  return { isLog: false, scale: scaleLinear().domain([0, Math.max(...all, Number.MIN_VALUE)]).nice(TICKS).range(range) }
}

/**
 * Every bar has its name and its figure beside it, so that nothing hangs on a colour: dark, printed or
 * seen by somebody who tells few colours apart. Whiskers are the smallest and the largest sample.
 * @param {Chart} chart
 * @returns {Promise<string>} caption and SVG
 */
exports.renderBars = async (chart) => {
  const { isLog, scale } = await makeScale(chart)
  const parts = []
  let y = AXIS
  for (const group of chart.groups) {
    if (chart.stacked) {
      parts.push(stackOf(group, y, scale))
      y += ROW
      continue
    }
    parts.push(label(0, y + 12, group.label, 'class="group"'))
    y += chart.groups.length === 1 && group.label === '' ? 0 : ROW
    for (const bar of group.bars) {
      parts.push(barOf(bar, y, scale))
      y += ROW
    }
    y += GROUP_GAP
  }
  const ticks = /** @type {number[]} */ (scale.ticks(TICKS)).filter(
    (value) => !isLog || Number.isInteger(Math.log10(value))
  )
  const axis = ticks.map((value) => {
    const x = scale(value)
    return `<line x1="${x}" x2="${x}" y1="${AXIS - 6}" y2="${y}" class="grid"/>${label(x, AXIS - 12, figure(value), 'class="tick" text-anchor="middle"')}`
  })
  const title = `${chart.title} (${chart.unit}${isLog ? ', log scale' : ''})`
  return `<figcaption>${escape(title)}</figcaption><svg viewBox="0 0 ${WIDTH} ${y}" role="img" aria-label="${escape(title)}">${axis.join('')}${parts.join('')}</svg>`
}

/** @param {Bar} bar @param {number} y @param {any} scale */
function barOf ({ series, value, low, high, oversubscribed }, y, scale) {
  const middle = y + BAR / 2
  const whisker = low === undefined || high === undefined || low === high
    ? ''
    : `<path d="M${scale(low).toFixed(1)} ${middle}H${scale(high).toFixed(1)}M${scale(low).toFixed(1)} ${middle - 3}v6M${scale(high).toFixed(1)} ${middle - 3}v6" class="whisker"/>`
  const end = scale(Math.max(value, high ?? value))
  const [left] = scale.range()
  return [
    label(left - NAME_GAP, y + 11, series, 'text-anchor="end"'),
    rectangle(left, y, scale(value) - left, `class="bar${oversubscribed ? ' over' : ''}"`),
    whisker,
    label(end + 6, y + 11, `${figure(value)}${oversubscribed ? ' oversubscribed' : ''}`, 'class="value"')
  ].join('')
}

/** @param {Chart['groups'][number]} group @param {number} y @param {any} scale */
function stackOf ({ label: name, bars }, y, scale) {
  let from = 0
  const segments = bars.map(({ series, value }, i) => {
    const segment = rectangle(scale(from), y, scale(from + value) - scale(from), `class="s${i % COLORS}"`).replace('/>', `><title>${escape(`${series}: ${figure(value)}`)}</title></rect>`)
    from += value
    return segment
  })
  const text = `${bars.map(({ value }) => figure(value)).join(' + ')}${bars.some(({ oversubscribed }) => oversubscribed) ? ' over' : ''}`
  return `${label(scale.range()[0] - NAME_GAP, y + 11, name, 'text-anchor="end"')}${segments.join('')}${label(scale(from) + 6, y + 11, text, 'class="value"')}`
}

exports.escape = escape
