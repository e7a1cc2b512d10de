import { BlockDetails } from './block-details.mjs'
import { byId, chip, fill, make, makeButton, setText } from '../dom.mjs'
import { clock, counted, duration } from '../format.mjs'
import { NO_MATCH } from '../model/choose.mjs'
import { calledBy, placeOf, sharesIn, workOf } from '../model/labels.mjs'

/** Rows drawn at a time. Each is a Tab stop, so more would be in the way of the keyboard, and of scrolling a phone. */
const PAGE = matchMedia('(max-width: 48rem)').matches ? 10 : 20

/**
 * @typedef {object} Entry
 * @property {any} row
 * @property {string} drawn JSON of the row as it was last drawn
 * @property {HTMLLIElement} element
 * @property {HTMLButtonElement} button
 * @property {BlockDetails | null} details
 */

/**
 * The list of blocks, newest first, a page at a time. A row keeps its element while it is listed, so that the focus and
 * open details stay. At most one block is open, and its id is in the page's address.
 */
export class BlockList {
  #list = byId('blocks')
  #note = byId('blocks-note')
  #more = byId('blocks-more')
  /** @type {Map<string, Entry>} */
  #entries = new Map()
  #get
  #view
  #limit = PAGE
  /** @type {any[]} */
  #rows = []
  #inMemory = 0

  /** @param {(path: string) => Promise<Response>} get @param {import('../panels/view.mjs').ViewState} view */
  constructor (get, view) {
    this.#get = get
    this.#view = view
    this.#more.addEventListener('click', () => {
      const first = this.#limit
      this.#limit += PAGE
      this.draw(this.#rows, this.#inMemory)
      this.#entries.get(this.#rows[first]?.id)?.button.focus()
    })
  }

  /** Loads an open block again after a change that its row does not show: who waited for it. @param {string} id */
  refresh (id) {
    this.#entries.get(id)?.details?.load()
  }

  /**
   * @param {any[]} rows the chosen blocks, newest first
   * @param {number} inMemory number of blocks
   * @param {any} [opened] the open block, chosen or not
   */
  draw (rows, inMemory, opened) {
    this.#rows = rows
    this.#inMemory = inMemory
    const { block } = this.#view.now
    const shown = rows.filter(({ id }, i) => i < this.#limit || id === block)
    if (opened && !shown.includes(opened)) shown.unshift(opened)
    const ids = new Set(shown.map(({ id }) => id))
    for (const id of [...this.#entries.keys()]) if (!ids.has(id)) this.#remove(id)
    for (const [i, row] of shown.entries()) {
      const entry = this.#entries.get(row.id) ?? this.#add(row)
      this.#fill(entry, row)
      const inPlace = this.#list.children[i]
      if (inPlace !== entry.element) this.#list.insertBefore(entry.element, inPlace ?? null)
      this.#open(entry, row.id === block)
    }
    this.#showCount(shown.length)
  }

  /** @param {number} shown */
  #showCount (shown) {
    const count = this.#rows.length
    const chosen = count === this.#inMemory ? 'newest first' : `of ${this.#inMemory} in memory, newest first`
    setText(this.#note, count === 0 ? NO_MATCH : `${counted(count, 'block')}, ${chosen}.`)
    this.#note.hidden = this.#inMemory === 0
    this.#more.hidden = shown >= count
    setText(this.#more, `Show ${Math.min(PAGE, count - shown)} more`)
  }

  /** @param {string} id */
  #remove (id) {
    const entry = this.#entries.get(id)
    entry?.details?.destroy()
    entry?.element.remove()
    this.#entries.delete(id)
  }

  /** @param {any} row @returns {Entry} */
  #add (row) {
    const panelId = `block-${row.id}`
    const toggle = () => this.#view.set({ block: this.#view.now.block === row.id ? null : row.id })
    const button = makeButton('', toggle, { 'aria-expanded': 'false', 'aria-controls': panelId })
    const element = make('li', {}, button, make('div', { id: panelId, class: 'details', hidden: true }))
    const entry = { row, drawn: '', element, button, details: null }
    this.#entries.set(row.id, entry)
    return entry
  }

  /** @param {Entry} entry @param {boolean} isOpen */
  #open (entry, isOpen) {
    if ((entry.details !== null) === isOpen) return
    const panel = /** @type {HTMLElement} */ (entry.element.lastElementChild)
    entry.button.setAttribute('aria-expanded', `${isOpen}`)
    panel.hidden = !isOpen
    entry.details?.destroy()
    entry.details = isOpen ? new BlockDetails(entry.row.id, this.#get, this.#view.linkTo(entry.row.id)) : null
    fill(panel, entry.details?.element)
  }

  /** The details of the open block, null without one. */
  get open () {
    return this.#entries.get(this.#view.now.block ?? '')?.details ?? null
  }

  /** Moves the focus. @param {number} by rows */
  step (by) {
    const buttons = [...this.#list.querySelectorAll(':scope > li > button')]
    const at = buttons.findIndex((button) => button.parentElement?.contains(document.activeElement))
    buttons[Math.min(buttons.length - 1, Math.max(0, at + by))]?.focus()
  }

  /** @param {string} id */
  reveal (id) {
    this.#entries.get(id)?.element.scrollIntoView({ block: 'start' })
  }

  /** @param {Entry} entry @param {any} row */
  #fill (entry, row) {
    const json = JSON.stringify(row)
    if (json === entry.drawn) return
    entry.drawn = json
    const isNew = entry.row !== row
    entry.row = row
    const { ongoing, durationMs, startedAt, cause, change, worker, thread, threadId, startup } = row
    entry.element.classList.toggle('ongoing', ongoing)
    const where = [
      worker !== null && `worker ${worker}`,
      threadId > 0 && `thread ${thread}`,
      startup && 'at startup'
    ].filter(Boolean).join(', ')
    fill(entry.button,
      make('span', { class: 'time' }, clock(startedAt)),
      make('span', { class: 'duration' }, duration(durationMs), ongoing && ' so far'),
      make('span', { class: 'cause' }, chip(cause), sharesIn(row)),
      make('span', { class: 'what' }, calledBy(row), make('code', {}, placeOf(row)), where && ` (${where})`,
        change && make('strong', {}, ` ${change.text}`)),
      make('span', { class: 'who' }, workOf(row)))
    if (isNew) entry.details?.load()
  }
}
