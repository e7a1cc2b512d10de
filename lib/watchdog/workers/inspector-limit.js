'use strict'

/**
 * The most threads per CPU that are asked. For each question to one worker the inspector attaches every worker there
 * is: with this many a CPU that is 1 ms of the main thread, with a hundred workers 7 ms, with three hundred 65 ms.
 */
const PER_CPU = 4
/** The same as a number, however many CPUs there are: at most, */
const MOST = 32
/** and at least. */
const LEAST = 8
/** Threads of a Node.js process without workers beside our own: main, platform, signals. */
const OTHER_TASKS = 7

/** How many worker threads the application has, and whether that is too many to ask any. */
class InspectorLimit {
  /** @type {Set<number>} */
  #started = new Set()
  #most
  #tasks
  /** Threads from before ours, whose end nobody tells us. */
  #earlier
  /** So many of those started are gone, and nobody has told yet which. */
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
    // Where the system does not tell, the first question does.
    this.#earlier = tasks() === null ? 0 : before
    this.recount()
  }

  /** @param {number} threadId */
  started (threadId) {
    this.#started.add(threadId)
  }

  /** @param {number} threadId */
  ended (threadId) {
    // It may have been one of the missing: the count is then one too many until the next recount.
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
    if (count <= this.#most) return null
    return { message: `there are ${count}, more than the ${this.#most} that are asked on this machine` }
  }
}

exports.InspectorLimit = InspectorLimit
