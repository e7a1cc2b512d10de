'use strict'

const fs = require('node:fs')
const { isSameFile } = require('./same-file')

/** A file that was deleted while open takes whatever is written, which nobody can read: it is looked for no more often than this. */
const LOOK_MS = 5000

/** Whether an open file is still where its path leads, and what was written to it meanwhile. */
class Whereabouts {
  #path
  #lookedAtMs = -Infinity
  /** Lines written since it was last seen in its place. */
  #unseen = 0

  /** @param {string} path */
  constructor (path) {
    this.#path = path
  }

  /** @param {number} nowMs monotonic */
  opened (nowMs) {
    this.#lookedAtMs = nowMs
    this.#unseen = 0
  }

  /** A line. */
  wrote () {
    this.#unseen++
  }

  /**
   * Looks, where it is time to.
   * @param {number} fd
   * @param {number} nowMs monotonic
   * @returns {number | null} null where it is in its place, else how many lines went with it: one that was moved is still somewhere
   * @throws where its disk is gone
   */
  look (fd, nowMs) {
    if (nowMs - this.#lookedAtMs < LOOK_MS) return null
    const unseen = this.#unseen
    this.opened(nowMs)
    if (isSameFile(fd, this.#path)) return null
    return fs.fstatSync(fd).nlink === 0 ? unseen : 0
  }
}

exports.Whereabouts = Whereabouts
