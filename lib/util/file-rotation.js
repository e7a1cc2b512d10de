'use strict'

const fs = require('node:fs')

/** Longest time for which a deleted file goes unnoticed. Lines written meanwhile are lost. */
const LOOK_MS = 5000

/** Checks whether an open file is still at its path, and counts the lines written since the last check. */
class RotationCheck {
  #path
  #lookedAtMs = -Infinity
  #lines = 0

  /** @param {string} path */
  constructor (path) {
    this.#path = path
  }

  /** @param {number} nowMs monotonic */
  opened (nowMs) {
    this.#lookedAtMs = nowMs
    this.#lines = 0
  }

  wrote () {
    this.#lines++
  }

  /**
   * Null: the file is in its place, or no check is due. Else the lines that were lost with it, 0 if it was only moved.
   * @param {number} fd @param {number} nowMs monotonic @returns {number | null} @throws if its disk is gone
   */
  look (fd, nowMs) {
    if (nowMs - this.#lookedAtMs < LOOK_MS) return null
    const lines = this.#lines
    this.opened(nowMs)
    if (isSameFile(fd, this.#path)) return null
    return fs.fstatSync(fd).nlink === 0 ? lines : 0
  }
}

/** False only if sure: unreadable paths and inode 0 (Windows) prove nothing. @param {number} fd @param {string} path */
function isSameFile (fd, path) {
  const own = fs.fstatSync(fd, { bigint: true })
  try {
    const { ino, dev } = fs.statSync(path, { bigint: true })
    return ino === 0n || own.ino === 0n || (ino === own.ino && dev === own.dev)
  } catch (error) {
    return error.code !== 'ENOENT' && error.code !== 'ENOTDIR'
  }
}

exports.LOOK_MS = LOOK_MS
exports.RotationCheck = RotationCheck
