import { byId, make, setText } from '../dom.mjs'
import { clock, counted, duration, percent } from '../format.mjs'
import { isFiltered, NO_MATCH } from '../model/choose.mjs'
import { sorted } from '../model/culprits.mjs'

/** Rows at first: as many as people read. */
const ROWS = 10
const SPARK = { width: 72, height: 18 }
const SVG = 'http://www.w3.org/2000/svg'

/** @type {[key: string, title: string, hint: string][]} */
const COLUMNS = [
  ['place', 'Place', ''],
  ['totalMs', 'Total', 'number'],
  ['work', 'Route or work', 'work'],
  ['words', 'Cause', ''],
  ['count', 'Blocks', 'number'],
  ['longestMs', 'Longest', 'number longest'],
  ['waited', 'Waited', 'number requests'],
  ['lastMs', 'Last', 'number last']
]

/** The sortable table of culprits. A click on a row shows only its blocks. */
export class CulpritTable {
  #body = byId('culprits-body')
  #heads
  #more = byId('culprits-more')
  #note = byId('culprits-note')
  #view
  #showsAll = false
  /** @type {any[]} */
  #culprits = []
  /** @type {Map<string, { row: HTMLElement, button: HTMLButtonElement, cells: HTMLElement[] }>} */
  #rows = new Map()

  /** @param {import('./view.mjs').ViewState} view */
  constructor (view) {
    this.#view = view
    this.#heads = COLUMNS.map(([key, title, kind]) => {
      const button = make('button', { type: 'button' }, title)
      button.addEventListener('click', () => this.#sort(key))
      return { key, element: make('th', { scope: 'col', class: kind }, button) }
    })
    byId('culprits-head')
      .replaceChildren(...this.#heads.map(({ element }) =>
        element), make('th', { scope: 'col', class: 'spark' }, 'When'))
    this.#more.addEventListener('click', () => {
      this.#showsAll = !this.#showsAll
      this.draw(this.#culprits)
    })
  }

  /** @param {string} key */
  #sort (key) {
    const { sort, ascends } = this.#view.now
    const isText = key === 'place' || key === 'work' || key === 'words'
    this.#view.set({ sort: key, ascends: sort === key ? !ascends : isText })
  }

  /** @param {any[]} culprits */
  draw (culprits) {
    this.#culprits = culprits
    const { sort, ascends, culprit: chosen } = this.#view.now
    const none = isFiltered(this.#view.now) ? NO_MATCH : 'No block of your code in this range.'
    for (const { key, element } of this.#heads) {
      element.setAttribute('aria-sort', key !== sort ? 'none' : ascends ? 'ascending' : 'descending')
    }
    const ordered = sorted(culprits, sort, !ascends)
    const shown = this.#showsAll ? ordered : ordered.filter(({ key }, i) => i < ROWS || key === chosen)
    byId('culprits').hidden = culprits.length === 0
    setText(this.#note, culprits.length === 0 ? none : '')
    this.#note.hidden = culprits.length > 0
    this.#more.hidden = culprits.length <= ROWS
    setText(this.#more, this.#showsAll ? `Show the first ${ROWS}` : `Show all ${culprits.length}`)
    const keys = new Set(shown.map(({ key }) => key))
    for (const [key, { row }] of this.#rows) {
      if (keys.has(key)) continue
      row.remove()
      this.#rows.delete(key)
    }
    for (const [i, culprit] of shown.entries()) this.#put(culprit, i, chosen)
  }

  /** @param {any} culprit @param {number} index @param {string | null} chosen */
  #put (culprit, index, chosen) {
    const known = this.#rows.get(culprit.key) ?? this.#make(culprit)
    const { row, button, cells } = known
    const { work, cause, words, count, totalMs, share, longestMs, waited, lastMs, bins } = culprit
    button.setAttribute('aria-pressed', `${culprit.key === chosen}`)
    row.classList.toggle('chosen', culprit.key === chosen)
    const [totalCell, workCell, causeCell, countCell, longestCell, waitedCell, lastCell, sparkCell] = cells
    setText(workCell, work || '–')
    if (causeCell.textContent !== words) {
      causeCell.replaceChildren(make('span', { class: `chip cause-${cause}` }), words)
    }
    setText(countCell, `${count || '–'}`)
    const bar = make('span', { class: 'bar', 'aria-hidden': 'true' })
    bar.style.inlineSize = `${share * 100}%`
    if (totalCell.dataset.text !== `${totalMs} ${share}`) {
      totalCell.dataset.text = `${totalMs} ${share}`
      totalCell.replaceChildren(`${duration(totalMs)} `, make('span', { class: 'share' }, percent(share)),
        make('span', { class: 'track', 'aria-hidden': 'true' }, bar))
    }
    setText(longestCell, duration(longestMs))
    setText(waitedCell, waited === 0 ? '–' : `${waited}`)
    setText(lastCell, clock(lastMs))
    sparkCell.replaceChildren(sparkOf(bins))
    const inPlace = this.#body.children[index]
    if (inPlace !== row) this.#body.insertBefore(row, inPlace ?? null)
  }

  /** @param {any} culprit */
  #make ({ key, place, frame }) {
    const button = make('button', { type: 'button', title: frame?.file ?? null }, place)
    button.addEventListener('click', () => this.#view.set({ culprit: this.#view.now.culprit === key ? null : key }))
    const cells = [
      'number total', 'work', 'cause', 'number',
      'number longest', 'number requests', 'number last', 'spark'
    ].map((kind) => make('td', { class: kind }))
    const row = make('tr', {}, make('th', { scope: 'row' }, button), ...cells)
    const made = { row, button, cells }
    this.#rows.set(key, made)
    return made
  }
}

/** @param {number[]} bins blocked ms in each part of the range */
function sparkOf (bins) {
  const most = Math.max(...bins, 1)
  const svg = document.createElementNS(SVG, 'svg')
  const width = SPARK.width / bins.length
  for (const [name, value] of Object.entries({
    viewBox: `0 0 ${SPARK.width} ${SPARK.height}`,
    width: SPARK.width,
    height: SPARK.height,
    'aria-hidden': 'true'
  })) svg.setAttribute(name, `${value}`)
  for (const [i, ms] of bins.entries()) {
    if (ms === 0) continue
    const height = Math.max(2, ms / most * SPARK.height)
    const bar = document.createElementNS(SVG, 'rect')
    for (const [name, value] of Object.entries({
      x: i * width,
      y: SPARK.height - height,
      width: width - 0.5,
      height
    })) bar.setAttribute(name, `${value}`)
    svg.append(bar)
  }
  return svg
}

/**
 * How to draw a table that cannot be sorted and is gone while it is empty. Cells are aligned as its head is.
 * @param {string} id of its section @param {(row: any) => string[]} cellsOf the first one is the row's head
 */
function plainTable (id, cellsOf) {
  const section = byId(id)
  const kinds = [...section.querySelectorAll('th')].map(({ className }) => className)
  return (/** @type {any[]} */ rows) => {
    section.hidden = rows.length === 0
    byId(`${id}-body`).replaceChildren(...rows.slice(0,
      ROWS).map((row) => make('tr', {}, ...cellsOf(row).map((text, i) =>
      i === 0 ? make('th', { scope: 'row' }, text) : make('td', { class: kinds[i] }, text)))))
  }
}

/** The routes that waited, the longest wait first. */
export const victimTable = () => plainTable('victims', ({ name, count, longestMs, because }) =>
  [name, counted(count, 'time'), duration(longestMs), because])

/** The worker threads, the busiest first. */
export const threadTable = () => plainTable('threads', ({ name, utilization, place, words, count, longestMs }) =>
  [
    name, utilization === null ? '–' : percent(utilization), place,
    words, `${count}`, count === 0 ? '–' : duration(longestMs)
  ])
