import { byId, chip, fill, make, setText } from '../dom.mjs'
import { clock, counted, duration } from '../format.mjs'
import { causes } from '../../../../tables/causes.js'
import { MS_PER_S } from '../../../../util/units.js'
import { NO_BLOCK } from '../model/choose.mjs'
import { wordsOf } from '../model/labels.mjs'
import { Plot } from './plot.mjs'

const HEIGHT = 190
/** Least size of a bar, so that a block of a second is visible among those of minutes. */
const LEAST_PX = 3
/** Most bars that are drawn: more than there are pixels. */
const BARS = 3000

const HINT = 'Each bar is a block; its height is its duration. Drag to select a range.'

/**
 * Blocks as bars over the loop's delay. A bar's height is the block's duration, its colour the cause. Dragging the
 * pointer over the timeline chooses a range.
 */
export class Timeline {
  #box = byId('timeline')
  #legend = byId('timeline-legend')
  #onSpan
  #plot
  /** @type {any[]} */
  #rows = []
  /** @type {any} */
  #view = null
  #range = { fromMs: 0, toMs: 1 }
  /** @type {Record<string, string>} */
  #colors = {}

  /** @param {(span: [number, number] | null) => void} onSpan Unix ms */
  constructor (onSpan) {
    this.#onSpan = onSpan
    this.#plot = new Plot(this.#box, HEIGHT, (color) => {
      this.#colors = Object.fromEntries([...Object.keys(causes), 'selected', 'base'].map((name) =>
        [name, color(`--cause-${name}`) || color('--c1')]))
      return {
        format: duration,
        cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
        scales: {
          y: {
            range: (_, __, max) => [0, 1.08 * Math.max(10, max ?? 0, ...this.#rows.map(({ durationMs }) => durationMs))]
          }
        },
        series: [{}, { stroke: color('--quiet'), width: 1, spanGaps: false, points: { show: false } }],
        hooks: {
          drawAxes: [(plot) => this.#drawSpans(plot)],
          draw: [(plot) => this.#drawBars(plot)],
          setSelect: [(plot) => this.#select(plot)]
        }
      }
    })
  }

  /**
   * @param {any[]} rows in the range
   * @param {{ fromMs: number, toMs: number }} range
   * @param {{ times: number[], delays: (number | null)[] }} delay by second
   * @param {import('../model/address.mjs').View} view
   */
  draw (rows, range, { times, delays }, view) {
    this.#rows = rows.slice(0, BARS)
    this.#range = range
    this.#view = view
    const [from, to] = [range.fromMs / MS_PER_S, range.toMs / MS_PER_S]
    const points = times.map((s, i) => ({ s, delay: delays[i] })).filter(({ s }) => s > from && s < to)
    // Points without a value at both ends make the scale cover the whole range.
    this.#plot.draw([[from, ...points.map(({ s }) => s), to], [null, ...points.map(({ delay }) => delay), null]])
    this.#describe()
  }

  #describe () {
    setText(byId('timeline-note'), this.#rows.length === 0 ? NO_BLOCK : HINT)
    const { fromMs, toMs } = this.#range
    const text = `${counted(this.#rows.length, 'block')} from ${clock(fromMs)} to ${clock(toMs)}`
    this.#box.setAttribute('aria-label', `Timeline: ${text}`)
    const causesShown = [...new Set(this.#rows.map(({ cause }) => cause))]
    const key = causesShown.join()
    if (this.#legend.dataset.key === key) return
    this.#legend.dataset.key = key
    fill(this.#legend,
      make('span', {}, make('span', { class: 'key line' }), 'loop delay, max'),
      causesShown.map((cause) => make('span', {}, chip(cause), wordsOf(cause))))
  }

  /** @param {import('uplot')} plot */
  #drawSpans (plot) {
    const { ctx, bbox } = plot
    for (const [name, span] of Object.entries({ base: this.#view?.base, selected: this.#view?.span })) {
      if (!span) continue
      const [from, to] = span.map((/** @type {number} */ ms) => plot.valToPos(ms / MS_PER_S, 'x', true))
      const left = Math.max(bbox.left, from)
      const right = Math.min(bbox.left + bbox.width, to)
      if (right <= left) continue
      ctx.fillStyle = this.#colors[name]
      ctx.fillRect(left, bbox.top, right - left, bbox.height)
    }
  }

  /** @param {import('uplot')} plot */
  #drawBars (plot) {
    const { ctx, bbox } = plot
    const bottom = bbox.top + bbox.height
    const leastPx = LEAST_PX * window.devicePixelRatio
    for (const { startedAt, durationMs, cause } of this.#rows) {
      const startS = Date.parse(startedAt) / MS_PER_S
      const left = Math.max(bbox.left, plot.valToPos(startS, 'x', true))
      const right = Math.min(bbox.left + bbox.width, plot.valToPos(startS + durationMs / MS_PER_S, 'x', true))
      const top = Math.min(bottom - leastPx, plot.valToPos(durationMs, 'y', true))
      ctx.fillStyle = this.#colors[cause] ?? this.#colors.unknown
      ctx.fillRect(left, top, Math.max(leastPx, right - left), bottom - top)
    }
  }

  /** @param {import('uplot')} plot */
  #select (plot) {
    const { left, width } = plot.select
    if (width < 4) return
    const [from, to] = [left, left + width].map((px) => Math.round(plot.posToVal(px, 'x') * MS_PER_S))
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
    this.#onSpan([from, to])
  }
}
