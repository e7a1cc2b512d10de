import UPlot from 'uplot'
import { clock } from '../format.mjs'
import { MS_PER_S } from '../../../../util/units.js'

/** Least width of the axis at the side: enough for labels such as "800 ms". "11 min 20 s" needs more. */
const AXIS_PX = 58
const CHARACTER_PX = 6
const BESIDE_LABELS_PX = 18

/** @typedef {(name: string) => string} Color of the page's theme by CSS variable: CSS does not apply to a canvas */

/**
 * @typedef {Omit<UPlot.Options, 'width' | 'height'> & Axis} OwnOptions
 * @typedef {{ format: (value: number) => string, yAxis?: UPlot.Axis }} Axis
 */

/** Values over time, drawn by uPlot. The canvas follows the width of its box and the page's theme. */
export class Plot {
  #box
  #height
  #optionsOf
  /** @type {UPlot | null} */
  #plot = null
  /** @type {any} */
  #data = []

  /** @param {HTMLElement} box @param {number} height @param {(color: Color) => OwnOptions} optionsOf */
  constructor (box, height, optionsOf) {
    this.#box = box
    this.#height = height
    this.#optionsOf = optionsOf
    new ResizeObserver(() => this.#resize()).observe(box)
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { if (this.#plot) this.#build() })
  }

  /** @param {any[][]} data times in s, then the values of each series */
  draw (data) {
    this.#data = data
    if (this.#plot === null) this.#build()
    else this.#plot.setData(this.#data)
  }

  get #width () {
    return Math.max(200, this.#box.clientWidth)
  }

  /** Makes a new plot: uPlot reads its colours only once. */
  #build () {
    const style = getComputedStyle(document.documentElement)
    const color = (/** @type {string} */ name) => style.getPropertyValue(name).trim()
    const rule = { stroke: color('--line'), width: 1 }
    const axis = { stroke: color('--quiet'), grid: rule, ticks: rule, font: '11px system-ui, sans-serif' }
    const { format, yAxis, ...options } = this.#optionsOf(color)
    this.#plot?.destroy()
    this.#plot = new UPlot({
      width: this.#width,
      height: this.#height,
      legend: { show: false },
      axes: [
        { ...axis, size: 28, space: 70, values: (_, splits) => splits.map(clockOf) },
        { ...axis, ...yAxis, size: (_, labels) => widthOf(labels), values: (_, splits) => splits.map(format) }
      ],
      ...options
    }, this.#data, this.#box)
  }

  #resize () {
    if (this.#plot !== null && this.#plot.width !== this.#width) {
      this.#plot.setSize({ width: this.#width, height: this.#height })
    }
  }
}

/** The width that the labels of an axis need. @param {string[] | null} labels null before there are any */
function widthOf (labels) {
  const characters = Math.max(...(labels ?? []).map((label) => label.length), 0)
  return Math.max(AXIS_PX, characters * CHARACTER_PX + BESIDE_LABELS_PX)
}

/** The time of day, without seconds at a full minute. @param {number} s */
function clockOf (s) {
  const [hours, minutes, seconds] = clock(s * MS_PER_S).split(':')
  return [hours, minutes, ...(seconds === '00' ? [] : [seconds])].join(':')
}
