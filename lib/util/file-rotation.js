'use strict'

const fs = require('node:fs')

/** The file is looked for this often at most. One that was deleted while open takes whatever is written, for nobody. */
const LOOK_MS = 5000

/** Whether an open file is still where its path leads, and what was written to it meanwhile. */
class RotationCheck {
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
   * @returns {number | null} null where the file is in its place; else how many lines were lost with it, 0 where it was
   * moved and is still somewhere
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

/**
 * Whether a path leads to an open file. False only where it surely does not: a path that cannot be looked at, and
 * numbers of 0, which Windows may give, tell nothing.
 * @param {number} fd
 * @param {string} path
 */
function isSameFile (fd, path) {
  const own = fs.fstatSync(fd, { bigint: true })
  try {
    const { ino, dev } = fs.statSync(path, { bigint: true })
    return ino === 0n || own.ino === 0n || (ino === own.ino && dev === own.dev)
  } catch (error) {
    return error.code !== 'ENOENT' && error.code !== 'ENOTDIR'
  }
}

exports.RotationCheck = RotationCheck
