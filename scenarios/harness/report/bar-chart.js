'use strict'

const { figure } = require('./format')

const WIDTH = 600
const NAMES = 135
/** Width of a character in the font of the report. */
const CHARACTER = 6.7
const NAME_GAP = 8
const VALUES = 155
const ROW = 22
const BAR = 14
const GROUP_GAP = 10
const AXIS = 26
const TICKS = 5
/** Height of the ticks of a group with its own axis. */
const TICK_ROW = 16
/** If one group's largest is so many times another's, the bars of the other would be no more than a line. */
const OWN_SCALES_FROM_RATIO = 20
const COLORS = 6

/** @typedef {import('../interface').Chart} Chart */
/** @typedef {Chart['groups'][number]['bars'][number]} Bar */

const tick = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 })

/** @param {unknown} text */
const escape = (text) => String(text).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** @param {number} x @param {number} y @param {string} text @param {string} [attributes] */
const label = (x, y, text, attributes = '') => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${escape(text)}</text>`

/** @param {number} x @param {number} y @param {number} width @param {string} attributes */
const rectangle = (x, y, width, attributes) => `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(1, width).toFixed(1)}" height="${BAR}" ${attributes}/>`

/**
 * From where to where a group needs its scale, 0 always in it.
 * @param {Chart['groups'][number]} group @param {boolean | undefined} isStacked
 */
function extentOf ({ bars }, isStacked) {
  if (isStacked) return { least: 0, most: bars.reduce((sum, { value }) => sum + value, 0) }
  const all = bars.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value])
  return { least: Math.min(0, ...all), most: Math.max(0, ...all) }
}

/**
 * From a chart's values to positions. Bars begin at 0, so that the length of one is its value. Groups that are too far
 * apart for that have a scale each.
 * @param {Chart} chart
 */
async function makeScales ({ groups, stacked }) {
  // An ES module, which Node.js 20 takes by import() only.
  const { scaleLinear } = await import('d3-scale')
  const names = groups.flatMap(({ label, bars }) => stacked ? [label] : bars.map(({ series }) => series))
  const range = [Math.max(NAMES, NAME_GAP + CHARACTER * Math.max(...names.map(({ length }) => length))), WIDTH - VALUES]
  const extents = groups.map((group) => extentOf(group, stacked))
  const least = Math.min(...extents.map((each) => each.least))
  const most = Math.max(...extents.map((each) => each.most))
  const isNear = (/** @type {{ most: number }} */ each) => each.most === 0 || most <= OWN_SCALES_FROM_RATIO * each.most
  const isShared = stacked === true || extents.every(isNear)
  const scales = extents.map((own) => {
    const { least: from, most: to } = isShared ? { least, most } : own
    return scaleLinear().domain([from, from === to ? 1 : to]).nice(TICKS).range(range)
  })
  return { isShared, scales }
}

/**
 * Every bar has its name and its figure next to it, so that nothing depends on a colour: in the dark, in print, or for
 * somebody who tells few colours apart. Whiskers are the smallest and the largest sample.
 * @param {Chart} chart
 * @returns {Promise<string>} caption and SVG
 */
exports.renderBars = async (chart) => {
  const { isShared, scales } = await makeScales(chart)
  const parts = []
  let y = AXIS
  for (const [i, group] of chart.groups.entries()) {
    if (chart.stacked) {
      parts.push(stackOf(group, y, scales[i]))
      y += ROW
      continue
    }
    parts.push(label(0, y + 12, group.label, 'class="group"'))
    y += chart.groups.length === 1 && group.label === '' ? 0 : ROW
    if (!isShared) parts.push(axisOf(scales[i], y + TICK_ROW, (y += TICK_ROW) + group.bars.length * ROW))
    for (const bar of group.bars) {
      parts.push(barOf(bar, y, scales[i]))
      y += ROW
    }
    y += GROUP_GAP
  }
  const axis = isShared ? axisOf(scales[0], AXIS - 6, y) : ''
  const title = `${chart.title} (${chart.unit}${isShared ? '' : '; each group has a scale of its own, from 0'})`
  return `<figcaption>${escape(title)}</figcaption><svg viewBox="0 0 ${WIDTH} ${y}" role="img" aria-label="${escape(title)}">${axis}${parts.join('')}</svg>`
}

/** Lines from top to bottom, their values above them. @param {any} scale @param {number} top @param {number} bottom */
const axisOf = (scale, top, bottom) => scale.ticks(TICKS).map((/** @type {number} */ value) => {
  const x = scale(value).toFixed(1)
  return `<line x1="${x}" x2="${x}" y1="${top}" y2="${bottom}" class="grid"/>${label(Number(x), top - 6, tick.format(value), 'class="tick" text-anchor="middle"')}`
}).join('')

/** @param {Bar} bar @param {number} y @param {any} scale */
function barOf ({ series, value, low, high, oversubscribed }, y, scale) {
  const middle = y + BAR / 2
  const whisker = low === undefined || high === undefined || low === high
    ? ''
    : `<path d="M${scale(low).toFixed(1)} ${middle}H${scale(high).toFixed(1)}M${scale(low).toFixed(1)} ${middle - 3}v6M${scale(high).toFixed(1)} ${middle - 3}v6" class="whisker"/>`
  const end = scale(Math.max(value, high ?? value))
  const [left, right] = [scale(Math.min(0, value)), scale(Math.max(0, value))]
  return [
    label(scale.range()[0] - NAME_GAP, y + 11, series, 'text-anchor="end"'),
    rectangle(left, y, right - left, `class="bar${oversubscribed ? ' over' : ''}"`),
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
