import { readAddress, writeAddress, START } from '../model/address.mjs'

/** What is chosen on the page: kept in its address, so that it can be sent to somebody. */
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
    window.history.replaceState(null, '', `${window.location.pathname}${window.location.search}${writeAddress(this.now)}`)
    this.#onChange()
  }

  /** All blocks again; what is opened and how it is sorted stays. */
  reset () {
    const { range, span, culprit, cause, text, aside } = START
    this.set({ range, span, culprit, cause, text, aside })
  }

  /** The address of a block alone. @param {string} id */
  linkTo (id) {
    return `${window.location.origin}${window.location.pathname}${writeAddress({ ...START, block: id })}`
  }
}
