import UPlot from 'uplot'
import { make, setText } from '../dom.mjs'

const HEIGHT = 96
/** Least width of the axis at the side: enough for labels such as "800 ms". "11 min 20 s" needs more. */
const AXIS_PX = 58
const CHARACTER_PX = 6
const BESIDE_LABELS_PX = 18

/**
 * @typedef {object} Line
 * @property {string} label
 * @property {string} color name of a CSS variable
 * @property {(second: any) => number | null} value
 */

/** Colours of the page's theme, and the style of an axis: CSS does not apply to a canvas. */
export function canvasStyle () {
  const style = getComputedStyle(document.documentElement)
  const color = (/** @type {string} */ name) => style.getPropertyValue(name).trim()
  const rule = { stroke: color('--line'), width: 1 }
  return { color, axis: { stroke: color('--quiet'), grid: rule, ticks: rule, font: '11px system-ui, sans-serif' } }
}

/** Lines over the last ten minutes, drawn by uPlot, with their values as text. */
export class Chart {
  #lines
  #format
  #box
  #values
  /** @type {UPlot | null} */
  #plot = null
  /** @type {any[][]} */
  #data = []

  /**
   * @param {object} parts
   * @param {string} parts.title
   * @param {Line[]} parts.lines
   * @param {(value: number | null) => string} parts.format
   * @param {number} parts.least the scale reaches at least up to this value
   */
  constructor ({ title, lines, format, least }) {
    this.#lines = lines
    this.#format = format
    this.least = least
    this.#box = make('div', { class: 'plot', role: 'img', 'aria-label': title })
    this.#values = lines.map(() => make('span', { class: 'value' }))
    const legend = make('p', { class: 'legend' }, ...lines.map(({ label, color }, i) =>
      make('span', {}, make('span', { class: `key ${color.slice(2)}` }), `${label} `, this.#values[i])))
    this.whole = make('p', { class: 'quiet' })
    this.element = make('div', { class: 'chart' }, make('h3', {}, title), legend, this.#box, this.whole)
    this.title = title
  }

  /** @param {number[]} times s @param {any[]} seconds */
  draw (times, seconds) {
    const valuesOf = (/** @type {(second: any) => number | null} */ value) =>
      seconds.map((second) => second === null ? null : value(second))
    this.#data = [times, ...this.#lines.map(({ value }) => valuesOf(value))]
    if (this.#plot === null) this.rebuild()
    else this.#plot.setData(/** @type {any} */ (this.#data))
    this.#showValues(null)
  }

  /** @param {string} text what the chart shows, in words */
  describe (text) {
    setText(this.whole, text)
    this.#box.setAttribute('aria-label', `${this.title}: ${text}`)
  }

  /** @param {number | null} index under the pointer; null: the last one */
  #showValues (index) {
    for (const [i, element] of this.#values.entries()) {
      const column = this.#data[i + 1] ?? []
      setText(element, this.#format(column[index ?? column.length - 1] ?? null))
    }
  }

  /** Makes a new plot: uPlot reads its colours only once. */
  rebuild () {
    const { color, axis } = canvasStyle()
    this.#plot?.destroy()
    this.#plot = new UPlot({
      width: Math.max(200, this.#box.clientWidth),
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, points: { size: 5 }, drag: { x: false, y: false } },
      scales: { y: { range: (_, __, max) => [0, Math.max(this.least, (max ?? 0) * 1.1)] } },
      axes: [
        { ...axis, size: 28, space: 70, values: (_, splits) => splits.map((s) => clockOf(s)) },
        {
          ...axis,
          space: 20,
          size: (_, labels) => widthOf(labels),
          values: (_, splits) => splits.map((value) => this.#format(value))
        }
      ],
      series: [{}, ...this.#lines.map(({ label, color: name }) => seriesOf(label, color(name)))],
      hooks: { setCursor: [({ cursor }) => this.#showValues(cursor.idx ?? null)] }
    }, /** @type {any} */ (this.#data), this.#box)
  }

  resize () {
    const width = Math.max(200, this.#box.clientWidth)
    if (this.#plot !== null && this.#plot.width !== width) this.#plot.setSize({ width, height: HEIGHT })
  }
}

/** @param {string} label @param {string} color */
const seriesOf = (label, color) => ({
  label,
  stroke: color,
  width: 1.5,
  spanGaps: false,
  points: {
    show: true,
    size: 4,
    fill: color,
    filter: (/** @type {UPlot} */ plot, /** @type {number} */ at) => lonely(plot.data[at])
  }
})

/** Indexes of values without neighbours, which no line shows. @param {ArrayLike<number | null | undefined>} values */
function lonely (values) {
  const isValue = (/** @type {number} */ i) => typeof values[i] === 'number'
  return Array.from(values, (_, i) => i).filter((i) => isValue(i) && !isValue(i - 1) && !isValue(i + 1))
}

/** The width that the labels of an axis need. @param {string[] | null} labels null before they are known */
export const widthOf = (labels) => {
  const characters = Math.max(...(labels ?? []).map((label) => label.length), 0)
  return Math.max(AXIS_PX, characters * CHARACTER_PX + BESIDE_LABELS_PX)
}

/** @param {number} s */
export function clockOf (s) {
  const at = new Date(s * 1000)
  const pad = (/** @type {number} */ number) => `${number}`.padStart(2, '0')
  return `${pad(at.getHours())}:${pad(at.getMinutes())}${at.getSeconds() === 0 ? '' : `:${pad(at.getSeconds())}`}`
}
