import flamegraph from 'd3-flame-graph'
import { select } from 'd3-selection'
import { make, setText } from '../dom.mjs'
import { duration } from '../format.mjs'
import { isMatch } from '../model/flame-view.mjs'

const CELL_PX = 20
const ZOOM_MS = 200
const HINT = 'Wider is longer; callers are above. Click or Enter zooms in, arrow keys move, Escape shows all.'

const isCalm = matchMedia('(prefers-reduced-motion: reduce)')

/** The hue shows where code comes from. The shade only separates neighbours. @param {any} node */
function colorOf ({ depth, data: { name, file, cause } }) {
  if (depth === 0 || cause !== undefined) return 'hsl(210 12% 80%)'
  const shade = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 97, 7) / 97
  return `hsl(${hueOf(file)} ${70 + shade * 20}% ${68 + shade * 12}%)`
}

/** @param {string | null} file null for a built-in */
function hueOf (file) {
  if (file === null) return 265
  if (file.startsWith('node:')) return 210
  return /[\\/]node_modules[\\/]/.test(file) ? 150 : 32
}

/** @param {any} node */
const labelOf = ({ data, value }) => `${data.name}, ${duration(value)}`

/** A flame graph of stacks, callers above, drawn by d3-flame-graph. Frames can be reached by keyboard and pointer. */
export class Flame {
  #chart
  #graph = make('div', { class: 'flame-graph' })
  #details = make('p', { class: 'flame-details', 'aria-live': 'off' }, HINT)
  #title
  #width = 0
  /** @type {ResizeObserver} */
  #observer
  /** @type {any} */
  #data = null
  #drawn = ''

  /** @param {string} title for screen readers */
  constructor (title) {
    this.#title = title
    this.element = make('div', { class: 'flame' }, this.#graph, this.#details)
    this.#chart = flamegraph()
    this.#chart.inverted(true).cellHeight(CELL_PX).minFrameSize(1).selfValue(false)
      .sort((/** @type {any} */ a, /** @type {any} */ b) => b.value - a.value)
      .setColorMapper((/** @type {any} */ d) => d.highlight ? 'hsl(300 85% 80%)' : colorOf(d))
      .setSearchMatch((/** @type {any} */ d, /** @type {string} */ term) => isMatch(d.data, term.toLowerCase()))
      .label(labelOf)
      .setDetailsHandler((/** @type {string | null} */ text) => setText(this.#details, text ?? HINT))
      .resetHeightOnZoom(true)
      .onClick(() => this.#reach())
    this.#observer = new ResizeObserver(() => this.#fit())
    this.#observer.observe(this.#graph)
    this.#graph.addEventListener('keydown', (event) => this.#key(event))
  }

  /** @param {any} data a tree from lib/export/profiles/flame-tree.js */
  draw (data) {
    const text = JSON.stringify(data)
    if (text === this.#drawn && this.#graph.clientWidth === this.#width) return
    this.#drawn = text
    this.#data = data
    const hadFocus = this.#graph.contains(document.activeElement)
    this.#width = this.#graph.clientWidth
    if (this.#width === 0) return
    this.#chart.destroy()
    this.#chart.width(this.#width).height(null).transitionDuration(isCalm.matches ? 0 : ZOOM_MS)
    select(this.#graph).datum(data).call(/** @type {any} */ (this.#chart))
    const svg = this.#graph.querySelector('svg')
    svg?.setAttribute('role', 'group')
    svg?.setAttribute('aria-label', this.#title)
    svg?.querySelector('text.title')?.remove()
    // The library shows new frames a moment later, so each redraw would flicker.
    for (const frame of this.#frames) {
      frame.querySelector('rect').setAttribute('width', frame.getAttribute('width'))
      setText(frame.querySelector('foreignObject > div'), frame.getAttribute('name'))
    }
    this.#reach()
    if (hadFocus) this.#focus(this.#frames[0])
  }

  /** Marks frames by a part of their name or file. An empty term clears the marks. @param {string} term */
  search (term) {
    if (this.#data === null) return
    if (term === '') this.#chart.clear()
    else this.#chart.search(term)
    this.#reach()
  }

  /** Zooms out to the whole graph. */
  reset () {
    this.#chart.resetZoom()
    this.#reach()
  }

  /** Draws the graph again if its width has changed. */
  #fit () {
    if (this.#data !== null && this.#graph.clientWidth !== this.#width) this.draw(this.#data)
  }

  /** @returns {any[]} */
  get #frames () {
    return [...this.#graph.querySelectorAll('g.frame')]
  }

  /** Makes the graph one Tab stop. The arrow keys move within it. */
  #reach () {
    for (const [i, frame] of this.#frames.entries()) {
      frame.setAttribute('role', 'button')
      frame.setAttribute('tabindex', i === 0 ? '0' : '-1')
      frame.setAttribute('aria-label', labelOf(select(frame).datum()))
      frame.querySelector('foreignObject')?.setAttribute('aria-hidden', 'true')
    }
  }

  /** @param {any} frame */
  #focus (frame) {
    if (!frame) return
    for (const other of this.#graph.querySelectorAll('g.frame[tabindex="0"]')) other.setAttribute('tabindex', '-1')
    frame.setAttribute('tabindex', '0')
    frame.focus()
    setText(this.#details, labelOf(select(frame).datum()))
  }

  /** @param {KeyboardEvent} event */
  #key (event) {
    const frame = /** @type {Element} */ (event.target).closest('g.frame')
    if (frame === null) return
    const node = /** @type {any} */ (select(frame).datum())
    const siblings = node.parent?.children ?? [node]
    const at = siblings.indexOf(node)
    /** @type {Record<string, () => any>} */
    const to = {
      ArrowUp: () => node.parent,
      ArrowDown: () => node.children?.[0],
      ArrowLeft: () => siblings[at - 1],
      ArrowRight: () => siblings[at + 1]
    }
    if (event.key in to) {
      const target = to[event.key]()
      this.#focus(this.#frames.find((each) => select(each).datum() === target))
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.#chart.zoomTo(node)
      this.#reach()
    } else if (event.key === 'Escape') {
      this.#chart.resetZoom()
      this.#reach()
      this.#focus(this.#frames[0])
    } else {
      return
    }
    event.preventDefault()
  }

  destroy () {
    this.#observer.disconnect()
    this.#chart.destroy()
  }
}
