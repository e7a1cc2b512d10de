import { make, setText } from '../dom.mjs'
import { Plot } from './plot.mjs'

const HEIGHT = 96

/**
 * @typedef {object} Line
 * @property {string} label
 * @property {string} color name of a CSS variable
 * @property {string} key of its values in a second
 */

/** Lines over the last ten minutes, with their values as text. */
export class Chart {
  #title
  #lines
  #format
  #box
  #values
  #plot
  #summary = make('p', { class: 'quiet' })
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
    this.#title = title
    this.#lines = lines
    this.#format = format
    this.#box = make('div', { class: 'plot', role: 'img', 'aria-label': title })
    this.#values = lines.map(() => make('span', { class: 'value' }))
    const legend = make('p', { class: 'legend' }, lines.map(({ label, color }, i) =>
      make('span', {}, make('span', { class: `key ${color.slice(2)}` }), `${label} `, this.#values[i])))
    this.element = make('div', { class: 'chart' }, make('h3', {}, title), legend, this.#box, this.#summary)
    this.#plot = new Plot(this.#box, HEIGHT, (color) => ({
      format,
      yAxis: { space: 20 },
      cursor: { y: false, points: { size: 5 }, drag: { x: false, y: false } },
      scales: { y: { range: (_, __, max) => [0, Math.max(least, (max ?? 0) * 1.1)] } },
      series: [{}, ...lines.map(({ label, color: name }) => seriesOf(label, color(name)))],
      hooks: { setCursor: [({ cursor }) => this.#showValues(cursor.idx ?? null)] }
    }))
  }

  /** @param {number[]} times s @param {any[]} seconds null: not measured */
  draw (times, seconds) {
    this.#data = [times, ...this.#lines.map(({ key }) => seconds.map((second) => second?.[key] ?? null))]
    this.#plot.draw(this.#data)
    this.#showValues(null)
  }

  /** @param {string} text what the chart shows, in words */
  describe (text) {
    setText(this.#summary, text)
    this.#box.setAttribute('aria-label', `${this.#title}: ${text}`)
  }

  /** @param {number | null} index under the pointer; null: the last one */
  #showValues (index) {
    for (const [i, element] of this.#values.entries()) {
      setText(element, this.#format(this.#data[i + 1]?.at(index ?? -1) ?? null))
    }
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
    filter: (/** @type {import('uplot')} */ plot, /** @type {number} */ at) => lonely(plot.data[at])
  }
})

/** Indexes of values without neighbours, which no line shows. @param {ArrayLike<number | null | undefined>} values */
function lonely (values) {
  const isValue = (/** @type {number} */ i) => typeof values[i] === 'number'
  return Array.from(values, (_, i) => i).filter((i) => isValue(i) && !isValue(i - 1) && !isValue(i + 1))
}
