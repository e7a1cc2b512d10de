'use strict'

/** One thing to do later: the last one set, and none once closed. */
class Alarm {
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

exports.Alarm = Alarm
