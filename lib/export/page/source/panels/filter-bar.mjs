import { byId, make, setNote, setText } from '../dom.mjs'
import { RANGES } from '../model/address.mjs'
import { causes } from '../../../../tables/causes.js'
import { spanWords } from '../format.mjs'
import { wordsOf } from '../model/labels.mjs'

/** @type {Record<string, string>} */
const NAMES = { '1m': '1 min', '5m': '5 min', '10m': '10 min', all: 'all' }
const ALL_CAUSES = 'all causes'
/** Words of a block whose function is new. */
const NEW = 'new since version'

/** Chooses range, text, cause and baseline, and resets them. */
export class FilterBar {
  #view
  #search = byId('search')
  #cause = byId('cause')
  #new = byId('new')
  #pin = byId('pin')
  #help = byId('help')
  /** @type {Map<string, HTMLInputElement>} */
  #ranges = new Map()
  #range = { fromMs: 0, toMs: 1 }

  /** @param {import('./view.mjs').ViewState} view */
  constructor (view) {
    this.#view = view
    for (const range of Object.keys(RANGES)) {
      const input = make('input', { type: 'radio', name: 'range', value: range })
      input.addEventListener('change', () => view.set({ range, span: null }))
      this.#ranges.set(range, input)
      byId('ranges').append(make('label', {}, input, ` ${NAMES[range]}`))
    }
    this.#cause.append(...['', ...Object.keys(causes)].map((cause) =>
      make('option', { value: cause }, wordsOf(cause) || ALL_CAUSES)))
    this.#cause.addEventListener('change', () => view.set({ cause: this.#cause.value || null }))
    this.#search.addEventListener('input', () => view.set({ text: this.#search.value.trim() }))
    this.#new.addEventListener('click', () => view.set({ text: view.now.text === NEW ? '' : NEW }))
    this.#pin.addEventListener('click', () => view.set({ base: view.now.base === null ? this.#bounds : null }))
    byId('reset').addEventListener('click', () => view.reset())
    byId('aside-show').addEventListener('click', () => view.set({ aside: !view.now.aside }))
    byId('help-show').addEventListener('click', () => this.toggleHelp())
  }

  /** @returns {[number, number]} */
  get #bounds () {
    return [Math.floor(this.#range.fromMs), Math.ceil(this.#range.toMs)]
  }

  /** Whether there was a list of keys to close. */
  closeHelp () {
    if (this.#help.hidden) return false
    this.toggleHelp()
    return true
  }

  toggleHelp () {
    this.#help.hidden = !this.#help.hidden
    byId('help-show').setAttribute('aria-expanded', `${!this.#help.hidden}`)
  }

  /** @param {{ fromMs: number, toMs: number }} range @param {any} culprit @param {any[]} all */
  draw (range, culprit, all) {
    this.#range = range
    const { range: name, span, base, culprit: key, cause, text } = this.#view.now
    for (const [each, input] of this.#ranges) input.checked = span === null && each === name
    if (document.activeElement !== this.#search) this.#search.value = text
    this.#cause.value = cause ?? ''
    this.#new.hidden = text !== NEW && !all.some(({ change }) => change?.kind === 'new')
    this.#new.setAttribute('aria-pressed', `${text === NEW}`)
    this.#pin.setAttribute('aria-pressed', `${base !== null}`)
    setText(this.#pin, base === null ? 'Pin as baseline' : 'Unpin baseline')
    const chosen = [
      span && `from ${spanWords(span)}`,
      key !== null && nameOf(culprit),
      cause && `of cause ${wordsOf(cause)}`,
      text && `with "${text}"`
    ].filter(Boolean).join(', ')
    byId('reset').hidden = chosen === ''
    setNote(byId('chosen'), chosen && `Showing only blocks ${chosen}.`)
    byId('range').classList.toggle('none', all.length === 0)
  }
}

/** @param {{ place: string, work: string } | null} culprit */
const nameOf = (culprit) => culprit === null
  ? 'of a culprit without a block here'
  : `of ${[culprit.place, culprit.work].filter(Boolean).join(', ')}`
