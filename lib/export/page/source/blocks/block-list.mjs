import { BlockDetails } from './block-details.mjs'
import { byId, make, setText } from '../dom.mjs'
import { clock, duration, fileOf, functionOf } from '../format.mjs'

/** The agent forgets its oldest block when a new one comes; those of worker threads are beside these. */
const THREADS_KEEP = 100

/** @typedef {{ record: any, element: HTMLLIElement, button: HTMLButtonElement, details: BlockDetails | null }} Row */

/**
 * The list of blocks, newest first. A row stays the same element for as long as it is listed, so the focus and open
 * details stay.
 */
export class BlockList {
  #list = byId('blocks')
  #note = byId('blocks-note')
  /** @type {Map<string, Row>} oldest first */
  #rows = new Map()
  #get
  #keep = 0
  #thresholdMs = 0

  /** @param {(path: string) => Promise<Response>} get */
  constructor (get) {
    this.#get = get
  }

  /** @returns {any[]} */
  get records () {
    return [...this.#rows.values()].map(({ record }) => record)
  }

  /** What the agent has in memory now. @param {any} hello */
  begin ({ blocks, keep, thresholdMs }) {
    this.#keep = keep + THREADS_KEEP
    this.#thresholdMs = thresholdMs
    const ids = new Set(blocks.map((/** @type {any} */ { id }) => id))
    for (const id of [...this.#rows.keys()]) if (!ids.has(id)) this.remove(id)
    for (const record of blocks.toReversed()) this.put(record)
    this.#say()
  }

  /** @param {any} record */
  put (record) {
    const row = this.#rows.get(record.id) ?? this.#add(record)
    row.record = record
    this.#fill(row)
    row.details?.load()
    if (this.#rows.size > this.#keep) this.remove(/** @type {string} */ (this.#rows.keys().next().value))
    this.#say()
  }

  /** @param {string} id */
  remove (id) {
    const row = this.#rows.get(id)
    if (row === undefined) return
    row.details?.destroy()
    row.element.remove()
    this.#rows.delete(id)
    this.#say()
  }

  #say () {
    const count = this.#rows.size
    setText(this.#note, count === 0
      ? `None so far: the loop has not been blocked for ${duration(this.#thresholdMs)} or longer.`
      : `${count} in memory, newest first.`)
  }

  /** @param {any} record @returns {Row} */
  #add (record) {
    const panelId = `block-${record.id}`
    const button = make('button', { type: 'button', 'aria-expanded': 'false', 'aria-controls': panelId })
    const element = make('li', {}, button, make('div', { id: panelId, class: 'details', hidden: true }))
    const row = { record, element, button, details: null }
    button.addEventListener('click', () => this.#toggle(row))
    this.#rows.set(record.id, row)
    this.#list.prepend(element)
    return row
  }

  /** @param {Row} row */
  #toggle (row) {
    const panel = /** @type {HTMLElement} */ (row.element.lastElementChild)
    const isOpen = row.details === null
    row.button.setAttribute('aria-expanded', `${isOpen}`)
    panel.hidden = !isOpen
    row.details?.destroy()
    row.details = isOpen ? new BlockDetails(row.record.id, this.#get) : null
    panel.replaceChildren(...(row.details === null ? [] : [row.details.element]))
  }

  /** @param {Row} row */
  #fill ({ record, element, button }) {
    const { ongoing, durationMs, startedAt, cause, frame, who, worker, thread, threadId, startup, profile } = record
    element.classList.toggle('ongoing', ongoing)
    const where = [
      worker === null ? null : `worker ${worker}`,
      threadId === 0 ? null : `thread ${thread}`,
      startup ? 'at start-up' : null
    ].filter((part) => part !== null).join(', ')
    const call = profile?.call ? `${profile.call} in ` : ''
    const place = frame === null
      ? ['no place in the code']
      : [make('code', {}, `${call}${functionOf(frame)}`), ` ${fileOf(frame)}`]
    button.replaceChildren(
      make('span', { class: 'time' }, clock(startedAt)),
      make('span', { class: 'duration' }, duration(durationMs), ongoing ? ' so far' : ''),
      make('span', { class: `tag cause-${cause}` }, cause),
      make('span', { class: 'what' }, ...place, where === '' ? '' : ` (${where})`),
      make('span', { class: 'who' }, who ?? ''))
  }
}
