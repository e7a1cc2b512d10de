import { byId, make, setText } from '../dom.mjs'
import { percent } from '../format.mjs'
import { Flame } from './flame.mjs'
import { linesMerged, ownOnly, shareOf } from '../model/flame-view.mjs'
import { save } from '../panels/save.mjs'

/** The tree is made of every stack in memory: not more often than this, however often blocks come. */
const LEAST_MS = 5000
/** As long as there is nothing to see, whoever waits for it does not wait for long. */
const LEAST_EMPTY_MS = 500
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
  #askedAtMs = -Infinity

  /** @param {(path: string) => Promise<Response>} get */
  constructor (get) {
    this.#get = get
    for (const box of [this.#own, this.#lines]) box.addEventListener('change', () => this.#draw())
    this.#search.addEventListener('input', () => this.#mark())
    byId('flame-reset').addEventListener('click', () => this.#flame?.reset())
    byId('flame-downloads').append(...DOWNLOADS.map(([title, format, ending]) => {
      const button = make('button', { type: 'button', 'aria-label': `Download as ${title}` }, title)
      button.addEventListener('click', () => {
        save(this.#get, `profile?${new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(this.#query)), format })}`, `loopwatch.${ending}`)
          .catch(() => { button.textContent = 'not available' })
      })
      return button
    }))
  }

  /** Which blocks it is made of. @param {string} query of the endpoint */
  choose (query) {
    if (query === this.#query) return
    // A range that goes with time is not asked for each second.
    const isSame = withoutTime(query) === withoutTime(this.#query)
    this.#query = query
    if (!isSame) this.#askedAtMs = -Infinity
    this.refresh()
  }

  /** There is something new to draw. */
  refresh () {
    if (this.#timer !== undefined) return
    const dueAtMs = this.#askedAtMs + (this.#flame === null ? LEAST_EMPTY_MS : LEAST_MS)
    this.#timer = setTimeout(() => this.#load(), Math.max(0, dueAtMs - performance.now()))
  }

  async #load () {
    this.#askedAtMs = performance.now()
    const asked = this.#query
    try {
      const response = await this.#get(`flame${asked === '' ? '' : `?${asked}`}`)
      if (response.ok) {
        this.#tree = await response.json()
        this.#draw()
      }
    } catch {
      // The stream says so when the agent is gone, and asks again when it is back.
    }
    this.#timer = undefined
    if (withoutTime(asked) !== withoutTime(this.#query)) this.refresh()
  }

  #draw () {
    const tree = this.#tree
    if (tree === null) return
    byId('flame-tools').hidden = tree.value === 0
    if (tree.value === 0) {
      this.#flame?.destroy()
      this.#flame = null
      this.#box.replaceChildren(make('p', { class: 'empty' }, 'No stack of a block so far.'))
      return
    }
    // Somebody is reading it.
    if (this.#flame !== null && this.#flame.element.matches(':hover, :focus-within')) {
      this.refresh()
      return
    }
    if (this.#flame === null) {
      this.#flame = new Flame('Flame graph of the chosen blocks')
      this.#box.replaceChildren(this.#flame.element)
    }
    const byLine = this.#lines.checked ? tree : linesMerged(tree)
    this.#flame.draw(this.#own.checked ? ownOnly(byLine) : byLine)
    this.#mark()
  }

  /** What is searched for is marked, with its share of the time. */
  #mark () {
    const term = this.#search.value.trim()
    this.#flame?.search(term)
    setText(this.#share, term === '' || this.#tree === null ? '' : `${percent(shareOf(this.#tree, term))} of the time`)
  }
}

/** @param {string} query */
function withoutTime (query) {
  const rest = new URLSearchParams(query)
  for (const name of ['from', 'to']) rest.delete(name)
  return `${rest}`
}
