'use strict'

/**
 * The inspector attaches every worker there is for each question to one of them: with this many a CPU
 * that is 1 ms of the main thread, with a hundred 7 ms, with three hundred 65 ms.
 */
const PER_CPU = 4
const MOST = 32
const LEAST = 8
/** Threads of a Node.js process without workers beside our own: main, platform, signals. */
const OTHER_TASKS = 7

/** How many worker threads the application has, and whether that is too many to ask any. */
class InspectorLimit {
  /** @type {Set<number>} */
  #started = new Set()
  #most
  #tasks
  /** Started before we were, of which nobody tells us when they end. */
  #earlier
  /** So many of those started are gone, though nobody has told yet which. */
  #missing = 0

  /**
   * @param {object} parts
   * @param {number} parts.cpus
   * @param {number} parts.before how many numbers were given to threads before ours
   * @param {() => number | null} parts.tasks threads of the process, null where it is not known
   */
  constructor ({ cpus, before, tasks }) {
    this.#most = Math.max(LEAST, Math.min(PER_CPU * cpus, MOST))
    this.#tasks = tasks
    // Not known, the first question tells.
    this.#earlier = tasks() === null ? 0 : before
    this.recount()
  }

  /** @param {number} threadId */
  started (threadId) {
    this.#started.add(threadId)
  }

  /** @param {number} threadId */
  ended (threadId) {
    // Whether it was one of the missing is not known: rather one too many until the next recount.
    if (this.#started.delete(threadId)) this.#missing = Math.max(0, this.#missing - 1)
  }

  /** The main thread has seen these, and perhaps not yet the youngest. @param {number[]} living */
  seen (living) {
    const youngest = Math.max(0, ...living)
    const known = new Set(living)
    for (const threadId of this.#started) if (threadId < youngest && !known.has(threadId)) this.ended(threadId)
    this.#earlier = living.filter((threadId) => !this.#started.has(threadId)).length
  }

  /** Some may have ended of which nobody has told. */
  recount () {
    const tasks = this.#tasks()
    if (tasks === null) return
    const most = Math.max(0, tasks - OTHER_TASKS - 1)
    this.#missing = Math.max(0, this.#started.size - most)
    this.#earlier = Math.max(0, Math.min(this.#earlier, most - this.#started.size))
  }

  /** Why no thread may be asked, or null. @returns {{ message: string } | null} */
  get excess () {
    const count = this.#started.size - this.#missing + this.#earlier
    return count > this.#most ? { message: `there are ${count}, more than the ${this.#most} that are asked on this machine` } : null
  }
}

exports.InspectorLimit = InspectorLimit
