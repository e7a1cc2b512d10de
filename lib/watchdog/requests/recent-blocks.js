'use strict'

const { BACKLOG_MS } = require('../../bridge/request-row')

/** At least so many blocks are kept, the latest: enough for a request of minutes among frequent blocks. */
const BLOCKS = 256

/**
 * @typedef {{ startMs: number, endMs: number, workIds: number[] }} Interval a block, and the request and the work that
 * ran in it, with what they are part of
 */

/** The latest blocks of the loop, to be laid over requests. */
class RecentBlocks {
  /** @type {Interval[]} by their end */
  #blocks = []
  #lastEndMs = -Infinity

  /** @param {Interval} block that ended after all before it */
  add (block) {
    this.#blocks.push(block)
    this.#lastEndMs = block.endMs
    if (this.#blocks.length > 2 * BLOCKS) this.#blocks = this.#blocks.slice(-BLOCKS)
  }

  /**
   * How long of a request, or other work, the loop was blocked by something else.
   * @param {number} startMs @param {number} endMs @param {number} id
   */
  blockedMs (startMs, endMs, id) {
    if (startMs >= this.#lastEndMs) return 0
    let blockedMs = 0
    for (let i = this.#blocks.length - 1; i >= 0 && this.#blocks[i].endMs > startMs; i--) {
      const block = this.#blocks[i]
      if (block.workIds.includes(id)) continue
      blockedMs += Math.max(0, Math.min(endMs, block.endMs) - Math.max(startMs, block.startMs))
    }
    return blockedMs
  }

  /**
   * How long a request was blocked by something else before it was read. A request that is read within a block came
   * before the loop last looked for requests, which is where the block began. When a request came that is read after a
   * block, nobody knows: half of the block counts, as if requests came evenly.
   * @param {number} startMs it was read
   * @param {number} id
   * @param {boolean} hasWaited it was read right after the loop could not
   */
  waitedMs (startMs, id, hasWaited) {
    if (startMs >= this.#lastEndMs + BACKLOG_MS) return 0
    for (let i = this.#blocks.length - 1; i >= 0; i--) {
      const block = this.#blocks[i]
      if (block.endMs <= startMs) {
        return hasWaited && startMs - block.endMs < BACKLOG_MS ? (block.endMs - block.startMs) / 2 : 0
      }
      if (block.startMs < startMs) return block.workIds.includes(id) ? 0 : startMs - block.startMs
    }
    return 0
  }
}

exports.RecentBlocks = RecentBlocks
