import { byId, make } from '../dom.mjs'
import { Flame } from './flame.mjs'

/** The tree is made of every stack in memory: not more often than this, however often blocks come. */
const LEAST_MS = 5000
/** As long as there is nothing to see, whoever waits for it does not wait for long. */
const LEAST_EMPTY_MS = 500

/** The flame graph of all blocks in the agent's memory. */
export class FlameOfAll {
  #box = byId('flame')
  #get
  /** @type {Flame | null} */
  #flame = null
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer
  #askedAtMs = -Infinity

  /** @param {(path: string) => Promise<Response>} get */
  constructor (get) {
    this.#get = get
  }

  /** There is something new to draw. */
  refresh () {
    if (this.#timer !== undefined) return
    const dueAtMs = this.#askedAtMs + (this.#flame === null ? LEAST_EMPTY_MS : LEAST_MS)
    this.#timer = setTimeout(() => this.#load(), Math.max(0, dueAtMs - performance.now()))
  }

  async #load () {
    this.#askedAtMs = performance.now()
    try {
      const response = await this.#get('flame')
      if (response.ok) this.#draw(await response.json())
    } catch {
      // The stream says so when the agent is gone, and asks again when it is back.
    }
    this.#timer = undefined
  }

  /** @param {any} tree */
  #draw (tree) {
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
      this.#flame = new Flame('Flame graph of all blocks')
      this.#box.replaceChildren(this.#flame.element)
    }
    this.#flame.draw(tree)
  }
}
