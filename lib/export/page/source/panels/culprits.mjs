import { byId, chip, fill, make, makeButton, setNote, setText } from '../dom.mjs'
import { clock, duration, percent } from '../format.mjs'
import { isFiltered, NO_MATCH } from '../model/choose.mjs'
import { sorted } from '../model/culprits.mjs'

/** Rows at first: as many as people read. */
const ROWS = 10
const SPARK = { width: 72, height: 18 }
const SVG = 'http://www.w3.org/2000/svg'

/**
 * Columns after that of the place. A cell is only filled again if its text differs, so that selections stay.
 * @type {{ key?: string, title: string, kind: string, textOf: (culprit: any) => string,
 * draw?: (culprit: any) => (Node | string)[] }[]} `key`: to sort by; `draw`: content that is more than the text
 */
const COLUMNS = [
  {
    key: 'totalMs',
    title: 'Total',
    kind: 'number total',
    textOf: ({ totalMs, share }) => `${totalMs} ${share}`,
    draw: drawTotal
  },
  { key: 'work', title: 'Route or work', kind: 'work', textOf: ({ work }) => work || '–' },
  {
    key: 'words',
    title: 'Cause',
    kind: 'cause',
    textOf: ({ words }) => words,
    draw: ({ cause, words }) => [chip(cause), words]
  },
  { key: 'count', title: 'Blocks', kind: 'number', textOf: ({ count }) => `${count || '–'}` },
  { key: 'longestMs', title: 'Longest', kind: 'number longest', textOf: ({ longestMs }) => duration(longestMs) },
  { key: 'waited', title: 'Waited', kind: 'number requests', textOf: ({ waited }) => `${waited || '–'}` },
  { key: 'lastMs', title: 'Last', kind: 'number last', textOf: ({ lastMs }) => clock(lastMs) },
  { title: 'When', kind: 'spark', textOf: ({ bins }) => bins.join(), draw: ({ bins }) => [sparkOf(bins)] }
]

/** The sortable table of culprits. A click on a row shows only its blocks. */
export class CulpritTable {
  #body = byId('culprits-body')
  #more = byId('culprits-more')
  #heads
  #view
  #showsAll = false
  /** @type {any[]} */
  #culprits = []
  /** @type {Map<string, { row: HTMLElement, button: HTMLButtonElement, growth: HTMLElement, cells: HTMLElement[] }>} */
  #rows = new Map()

  /** @param {import('./view.mjs').ViewState} view */
  constructor (view) {
    this.#view = view
    this.#heads = [{ key: 'place', title: 'Place', kind: '' }, ...COLUMNS].map(({ key, title, kind }) => {
      const content = key === undefined ? title : makeButton(title, () => this.#sort(key))
      return { key, element: make('th', { scope: 'col', class: kind }, content) }
    })
    fill(byId('culprits-head'), this.#heads.map(({ element }) => element))
    this.#more.addEventListener('click', () => {
      this.#showsAll = !this.#showsAll
      this.draw(this.#culprits)
    })
  }

  /** @param {string} key */
  #sort (key) {
    const { sort, ascends } = this.#view.now
    const isText = ['place', 'work', 'words'].includes(key)
    this.#view.set({ sort: key, ascends: sort === key ? !ascends : isText })
  }

  /** @param {any[]} culprits */
  draw (culprits) {
    this.#culprits = culprits
    const { sort, ascends, culprit: chosen } = this.#view.now
    for (const { key, element } of this.#heads) {
      if (key) element.setAttribute('aria-sort', key !== sort ? 'none' : ascends ? 'ascending' : 'descending')
    }
    const ordered = sorted(culprits, sort, !ascends)
    const shown = this.#showsAll ? ordered : ordered.filter(({ key }, i) => i < ROWS || key === chosen)
    byId('culprits').hidden = culprits.length === 0
    const none = isFiltered(this.#view.now) ? NO_MATCH : 'No block of your code in this range.'
    setNote(byId('culprits-note'), culprits.length === 0 ? none : '')
    this.#more.hidden = culprits.length <= ROWS
    setText(this.#more, this.#showsAll ? `Show the first ${ROWS}` : `Show all ${culprits.length}`)
    const keys = new Set(shown.map(({ key }) => key))
    for (const [key, { row }] of this.#rows) {
      if (keys.has(key)) continue
      row.remove()
      this.#rows.delete(key)
    }
    for (const [i, culprit] of shown.entries()) this.#put(culprit, i, culprit.key === chosen)
  }

  /** @param {any} culprit @param {number} index @param {boolean} isChosen */
  #put (culprit, index, isChosen) {
    const { row, button, growth, cells } = this.#rows.get(culprit.key) ?? this.#add(culprit)
    setText(button, culprit.place)
    setNote(growth, culprit.growth)
    button.setAttribute('aria-pressed', `${isChosen}`)
    row.classList.toggle('chosen', isChosen)
    for (const [i, { textOf, draw }] of COLUMNS.entries()) {
      const text = textOf(culprit)
      if (cells[i].dataset.text === text) continue
      cells[i].dataset.text = text
      fill(cells[i], draw ? draw(culprit) : text)
    }
    const inPlace = this.#body.children[index]
    if (inPlace !== row) this.#body.insertBefore(row, inPlace ?? null)
  }

  /** @param {any} culprit */
  #add ({ key, place, frame }) {
    const toggle = () => this.#view.set({ culprit: this.#view.now.culprit === key ? null : key })
    const button = makeButton(place, toggle, { title: frame?.file ?? null })
    const cells = COLUMNS.map(({ kind }) => make('td', { class: kind }))
    const growth = make('div', { class: 'quiet' })
    const row = make('tr', {}, make('th', { scope: 'row' }, button, growth), cells)
    const elements = { row, button, growth, cells }
    this.#rows.set(key, elements)
    return elements
  }
}

/** @param {{ totalMs: number, share: number }} culprit */
function drawTotal ({ totalMs, share }) {
  const bar = make('span', { class: 'bar', 'aria-hidden': 'true' })
  bar.style.inlineSize = `${share * 100}%`
  return [
    `${duration(totalMs)} `,
    make('span', { class: 'share' }, percent(share)),
    make('span', { class: 'track', 'aria-hidden': 'true' }, bar)
  ]
}

/** @param {number[]} bins blocked ms in each part of the range */
function sparkOf (bins) {
  const { width, height } = SPARK
  const most = Math.max(...bins, 1)
  const barPx = width / bins.length
  const svg = svgElement('svg', { viewBox: `0 0 ${width} ${height}`, width, height, 'aria-hidden': 'true' })
  for (const [i, ms] of bins.entries()) {
    if (ms === 0) continue
    const barHeight = Math.max(2, ms / most * height)
    svg.append(svgElement('rect', { x: i * barPx, y: height - barHeight, width: barPx - 0.5, height: barHeight }))
  }
  return svg
}

/** @param {string} tag @param {Record<string, string | number>} attributes */
function svgElement (tag, attributes) {
  const element = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, `${value}`)
  return element
}

/**
 * How to draw a table that cannot be sorted and is hidden while it is empty. Cells are aligned as its head is.
 * @param {string} id of its section @param {(row: any) => string[]} textsOf the first one is the row's head
 */
function plainTable (id, textsOf) {
  const section = byId(id)
  const kinds = [...section.querySelectorAll('th')].map(({ className }) => className)
  return (/** @type {any[]} */ rows) => {
    section.hidden = rows.length === 0
    fill(byId(`${id}-body`), rows.slice(0, ROWS).map((row) => make('tr', {}, textsOf(row).map((text, i) =>
      i === 0 ? make('th', { scope: 'row' }, text) : make('td', { class: kinds[i] }, text)))))
  }
}

/** The routes that waited, the longest wait first. */
export const victimTable = () => plainTable('victims', ({ name, count, longestMs, because }) =>
  [name, `${count}`, duration(longestMs), because])

/** Peers that calls wait for, those with most open calls first. */
export const peerTable = () => plainTable('peers', ({ peer, open, count, sumMs }) =>
  [peer, `${open}`, `${count}`, count === 0 ? '–' : duration(sumMs / count)])

/** The worker threads, the busiest first. */
export const threadTable = () => plainTable('threads', ({ name, utilization, place, words, count, longestMs }) =>
  [name, percent(utilization), place, words, `${count}`, count === 0 ? '–' : duration(longestMs)])
