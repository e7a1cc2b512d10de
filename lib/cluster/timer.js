'use strict'

/** Runs the function that was set last. After close() it runs nothing more. */
class Timer {
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  isClosed = false

  /** @param {number} ms @param {() => void} then */
  set (ms, then) {
    clearTimeout(this.#timer)
    if (!this.isClosed) this.#timer = setTimeout(then, ms)
  }

  close () {
    this.isClosed = true
    clearTimeout(this.#timer)
  }
}

exports.Timer = Timer
