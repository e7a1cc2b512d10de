'use strict'

const dns = require('node:dns')
const fs = require('node:fs')
const { nowMs } = require('../../util/clock')

/** Node.js refuses it under --permission, without asking a thread. */
const DENIED = 'ERR_ACCESS_DENIED'

/** @typedef {(done: (error?: NodeJS.ErrnoException | null) => void) => void} Work for a thread of the pool */

/**
 * A piece of work for each of the two queues of the pool. The root folder is in the kernel's memory, and the C library
 * reads 127.1 as an address: neither waits for a disk or for the network.
 * @type {Record<import('./pool-filling').PoolKind, Work>}
 */
exports.works = {
  thread_pool: (done) => fs.stat('/', done),
  dns_lookups: (done) => dns.lookup('127.1', { family: 4 }, done)
}

/**
 * Measures by a piece of work of its own how long work waits for libuv's thread pool, which all threads of the process
 * share. The application's thread takes no part. One piece at a time, so a full pool has one more.
 */
class PoolProbe {
  /** When the open question was put, null if there is none. @type {number | null} */
  askedAtMs = null
  #work
  #onDone

  /** @param {Work} work @param {(askedAtMs: number, doneAtMs: number) => void} onDone */
  constructor (work, onDone) {
    this.#work = work
    this.#onDone = onDone
  }

  ask () {
    if (this.askedAtMs !== null) return
    const askedAtMs = this.askedAtMs = nowMs()
    try {
      this.#work((error) => {
        this.askedAtMs = null
        if (error?.code !== DENIED) this.#onDone(askedAtMs, nowMs())
      })
    } catch {
      // Refused at once.
      this.askedAtMs = null
    }
  }
}

exports.PoolProbe = PoolProbe
