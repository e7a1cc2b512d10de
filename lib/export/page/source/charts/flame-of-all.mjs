import { byId, fill, make, saveButton, setText } from '../dom.mjs'
import { percent } from '../format.mjs'
import { Flame } from './flame.mjs'
import { NO_BLOCK } from '../model/choose.mjs'
import { linesMerged, ownOnly, shareOf } from '../model/flame-view.mjs'

/** Least time between two requests, however often blocks come: the agent makes the tree from every stack in memory. */
const LEAST_MS = 5000
/** Least time while there is no graph yet, so that the first one appears soon. */
const LEAST_EMPTY_MS = 500
/** Time from a choice to its request: the next letter may follow. */
const TYPING_MS = 200
/** @type {[title: string, format: string, ending: string][]} */
const DOWNLOADS = [
  ['.cpuprofile', 'cpuprofile', 'cpuprofile'],
  ['pprof', 'pprof', 'pb.gz'],
  ['speedscope', 'speedscope', 'speedscope.json'],
  ['folded', 'folded', 'folded.txt']
]

/** The flame graph of the chosen blocks, with a search and downloads. */
export class FlameOfAll {
  #box = byId('flame')
  #search = byId('flame-search')
  #share = byId('flame-share')
  #own = byId('flame-own')
  #lines = byId('flame-lines')
  #get
  #query = ''
  /** @type {any} */
  #tree = null
  /** @type {Flame | null} */
  #flame = null
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer
  #requestedAtMs = -Infinity

  /** @param {(path: string) => Promise<Response>} get */
  constructor (get) {
    this.#get = get
    for (const box of [this.#own, this.#lines]) box.addEventListener('change', () => this.#draw())
    this.#search.addEventListener('input', () => this.#mark())
    byId('flame-reset').addEventListener('click', () => this.#flame?.reset())
    byId('flame-downloads').append(...DOWNLOADS.map(([title, format, ending]) =>
      saveButton(title, get, () => `profile?${this.#query}&format=${format}`, `loopwatch.${ending}`)))
  }

  /** Chooses the blocks to show. @param {string} query for the endpoint */
  choose (query) {
    if (query === this.#query) return
    // A range that ends now changes every second. That alone must not request the tree at once.
    const isSame = withoutTime(query) === withoutTime(this.#query)
    this.#query = query
    if (isSame) return this.refresh()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#load(), TYPING_MS)
  }

  /** Loads the tree again, as soon as the least time has passed. */
  refresh () {
    if (this.#timer !== undefined) return
    const dueAtMs = this.#requestedAtMs + (this.#flame === null ? LEAST_EMPTY_MS : LEAST_MS)
    this.#timer = setTimeout(() => this.#load(), Math.max(0, dueAtMs - performance.now()))
  }

  async #load () {
    this.#requestedAtMs = performance.now()
    const query = this.#query
    // The event stream reports that the agent is gone, and calls refresh() when it is back.
    const response = await this.#get(`flame${query && `?${query}`}`).catch(() => null)
    const tree = response?.ok ? await response.json().catch(() => null) : null
    // Meanwhile another choice was made, and its tree is on its way.
    if (withoutTime(query) !== withoutTime(this.#query)) return
    this.#timer = undefined
    if (tree === null) return
    this.#tree = tree
    this.#draw()
  }

  #draw () {
    const tree = this.#tree
    if (tree === null) return
    byId('flame-tools').hidden = tree.value === 0
    if (tree.value === 0) {
      this.#flame?.destroy()
      this.#flame = null
      fill(this.#box, make('p', { class: 'empty' }, NO_BLOCK))
      return
    }
    // The user is reading the graph: try again later.
    if (this.#flame !== null && this.#flame.element.matches(':hover, :focus-within')) {
      this.refresh()
      return
    }
    if (this.#flame === null) {
      this.#flame = new Flame('Flame graph of the chosen blocks')
      fill(this.#box, this.#flame.element)
    }
    const byLine = this.#lines.checked ? tree : linesMerged(tree)
    this.#flame.draw(this.#own.checked ? ownOnly(byLine) : byLine)
    this.#mark()
  }

  /** Marks what the search finds, and shows its share of the time. */
  #mark () {
    const term = this.#search.value.trim()
    this.#flame?.search(term)
    setText(this.#share, term === '' || this.#tree === null ? '' : `${percent(shareOf(this.#tree, term))} of the time`)
  }
}

/** @param {string} query */
const withoutTime = (query) => query.replace(/\b(?:from|to)=\d+&?/g, '')
