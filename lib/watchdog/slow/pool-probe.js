'use strict'

const fs = require('node:fs')
const { nowMs } = require('../../util/clock')

/**
 * Measures how long work waits for libuv's thread pool, which is one for all threads of the process, by a piece of work
 * of its own: the application's thread takes no part. The root folder is in the kernel's memory, so no disk is waited
 * for. One piece at a time, so a full pool has one more.
 */
class PoolProbe {
  /** When the open question was put, null if there is none. @type {number | null} */
  askedAtMs = null
  #onDone

  /** @param {(askedAtMs: number, doneAtMs: number) => void} onDone */
  constructor (onDone) {
    this.#onDone = onDone
  }

  ask () {
    if (this.askedAtMs !== null) return
    const askedAtMs = this.askedAtMs = nowMs()
    fs.stat('/', () => {
      this.askedAtMs = null
      this.#onDone(askedAtMs, nowMs())
    })
  }
}

exports.PoolProbe = PoolProbe
