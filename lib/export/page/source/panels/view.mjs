import { readAddress, writeAddress, START } from '../model/address.mjs'

/** The user's choice of what to see, kept in the page's address so that it can be shared. */
export class ViewState {
  now = readAddress(window.location.hash)
  #onChange

  /** @param {() => void} onChange */
  constructor (onChange) {
    this.#onChange = onChange
    window.addEventListener('hashchange', () => {
      this.now = readAddress(window.location.hash)
      this.#onChange()
    })
  }

  /** @param {Partial<import('../model/address.mjs').View>} changes */
  set (changes) {
    this.now = { ...this.now, ...changes }
    window.history.replaceState(null, '',
      `${window.location.pathname}${window.location.search}${writeAddress(this.now)}`)
    this.#onChange()
  }

  /** Shows all blocks again. The open block, the baseline and the order stay. */
  reset () {
    const { range, span, culprit, cause, text, aside } = START
    this.set({ range, span, culprit, cause, text, aside })
  }

  /** A link to one block, without the other choices. @param {string} id */
  linkTo (id) {
    return `${window.location.origin}${window.location.pathname}${writeAddress({ ...START, block: id })}`
  }
}
