/** The agent keeps this many blocks of worker threads on top of `keep` of the main thread, and forgets the oldest. */
const THREADS_KEEP = 100
const NO_WAITS = { requests: 0, longestMs: 0, routes: [] }

/** The blocks that the agent has in memory, as rows, and who waited for them. */
export class Records {
  /** @type {Map<string, any>} oldest first */
  #rows = new Map()
  /** @type {Map<string, typeof NO_WAITS>} */
  #waits = new Map()
  #keep = 0
  #startedAtMs = 0
  #isFull = false

  /** Replaces everything with what the agent has in memory now. @param {any} hello */
  begin ({ blocks, keep, waits, startedAt }) {
    this.#keep = keep + THREADS_KEEP
    this.#startedAtMs = startedAt
    this.#isFull = blocks.length >= keep
    this.#rows = new Map(blocks.toReversed().map((/** @type {any} */ row) => [row.id, row]))
    this.#waits = new Map()
    this.wait(waits)
  }

  /** @param {any} row */
  put (row) {
    this.#rows.set(row.id, row)
    if (this.#rows.size <= this.#keep) return
    this.#isFull = true
    this.remove(/** @type {string} */ (this.#rows.keys().next().value))
  }

  /** @param {string} id */
  remove (id) {
    this.#rows.delete(id)
    this.#waits.delete(id)
  }

  /** @param {any[]} waits */
  wait (waits) {
    for (const { id, ...wait } of waits) if (this.#rows.has(id)) this.#waits.set(id, wait)
  }

  /** @param {string} id */
  waitsFor (id) {
    return this.#waits.get(id) ?? NO_WAITS
  }

  /** Newest first. @returns {any[]} */
  get all () {
    return [...this.#rows.values()].reverse()
  }

  /** All blocks since this time are here: the process's start, until a block had to be forgotten. Unix time, ms. */
  get sinceMs () {
    // The first row may not be the oldest: blocks of other threads and processes do not arrive in order of time.
    const oldestMs = Math.min(...[...this.#rows.values()].map(({ startedAt }) => Date.parse(startedAt)))
    return this.#isFull ? oldestMs : Math.min(this.#startedAtMs, oldestMs)
  }
}
