'use strict'

const { blamedFrame } = require('./frame')

/** Most distinct stacks kept of one block; samples of further ones are counted. */
const STACKS = 40
/** The share of a stack's time that makes it that of one answer. */
const MOST = 0.8

/**
 * @typedef {import('../types').RequestContext} RequestContext
 * @typedef {import('../types').WorkContext} WorkContext
 *
 * @typedef {object} Sample one look into the host within a block
 * @property {number} weightMs the time of the block that it stands for: since the sample before it
 * @property {boolean} late it was answered only after a native call or a sleep had ended
 * @property {number} [heldMs] how long that call or sleep kept the answer
 * @property {boolean} [isJustEntered] its innermost function had only just been entered, so another one was late
 * @property {RequestContext | null} request
 * @property {WorkContext | null} [work] the innermost, which may be the request itself
 * @property {import('../types').Frame[]} frames innermost first
 *
 * @typedef {object} Stack equal samples as one
 * @property {number} count
 * @property {number} weightMs
 * @property {number} lateMs the part of weightMs for which late answers stand
 * @property {import('../types').Frame[]} frames
 *
 * @typedef {{ work: WorkContext | null, request: RequestContext | null }} Running
 * @typedef {{ certain: Running | null, doubtful: Running | null, weightMs: number, doubtMs: number }} Seen one piece of
 * work, as a sample told it that was certain of it, and as one that was not; `doubtMs`: the latter's part of weightMs
 *
 * @typedef {Stack & { entered: number, enteredMs: number }} Kept `entered`: how many of its samples were of a function
 * just entered, `enteredMs`: their part of weightMs
 */

/** The samples of one block, equal stacks folded, so that an endless block takes bounded memory. */
class Fold {
  /** @type {Map<string, Kept>} */
  #stacks = new Map()
  /** @type {Map<number | null, { request: RequestContext | null, weightMs: number }>} by id, null without a request */
  #requests = new Map()
  /** By the outermost work that they are part of, and then by their own id. @type {Map<string, Map<string, Seen>>} */
  #works = new Map()
  #keptWorks = 0
  /** Samples in a row that saw one request: the time between them, and the time for which a call kept the first one. */
  #run = { id: /** @type {number | null} */ (null), ms: 0 }
  #longestRunMs = 0
  samples = 0
  /** Samples whose stack was beyond the bound. */
  unkept = 0

  /** @param {Sample} sample */
  add ({ weightMs, late, heldMs = 0, isJustEntered = false, request, work = null, frames }) {
    this.samples++
    const certain = request?.exact === false ? null : request
    this.#addRequest(certain, weightMs)
    this.#addWork({ request, work }, weightMs)
    this.#addToRun(certain?.id ?? null, weightMs, late ? heldMs : 0)
    const key = keyOf(frames)
    let stack = this.#stacks.get(key)
    if (stack === undefined) {
      if (this.#stacks.size === STACKS) {
        this.unkept++
        return
      }
      stack = { count: 0, weightMs: 0, lateMs: 0, entered: 0, enteredMs: 0, frames }
      this.#stacks.set(key, stack)
    }
    stack.count++
    stack.weightMs += weightMs
    if (late) stack.lateMs += weightMs
    if (!isJustEntered) return
    stack.entered++
    stack.enteredMs += weightMs
  }

  /** @param {RequestContext | null} request @param {number} weightMs */
  #addRequest (request, weightMs) {
    const id = request?.id ?? null
    const known = this.#requests.get(id)
    if (known) known.weightMs += weightMs
    else if (this.#requests.size < STACKS) this.#requests.set(id, { request, weightMs })
  }

  /** @param {Running} running @param {number} weightMs */
  #addWork (running, weightMs) {
    const { work, request } = running
    const id = work?.id ?? request?.id
    if (id === undefined) return
    const seen = this.#seenOf(work?.rootId ?? `${id}`, `${id}`)
    if (seen === null) return
    seen.weightMs += weightMs
    if ((work ?? request)?.exact === false) {
      seen.doubtMs += weightMs
      seen.doubtful ??= running
    } else {
      seen.certain ??= running
    }
  }

  /** @param {string} rootId @param {string} id @returns {Seen | null} null beyond the bound */
  #seenOf (rootId, id) {
    const known = this.#works.get(rootId)?.get(id)
    if (known || this.#keptWorks === STACKS) return known ?? null
    this.#keptWorks++
    const seen = { certain: null, doubtful: null, weightMs: 0, doubtMs: 0 }
    const parts = this.#works.get(rootId)
    if (parts) parts.set(id, seen)
    else this.#works.set(rootId, new Map([[id, seen]]))
    return seen
  }

  /** @param {number | null} id of the request, null without one @param {number} weightMs @param {number} heldMs */
  #addToRun (id, weightMs, heldMs) {
    this.#run = id === this.#run.id ? { id, ms: this.#run.ms + weightMs } : { id, ms: Math.min(heldMs, weightMs) }
    if (id !== null) this.#longestRunMs = Math.max(this.#longestRunMs, this.#run.ms)
  }

  /**
   * The stacks, heaviest first. A function that had just been entered when the one answer came has not kept that
   * answer: its caller has. A function that is seen so again and again takes the time itself. The next question may
   * still be answered in the same place, where the thread is put aside in its answer.
   * @returns {Stack[]}
   */
  get stacks () {
    const heaviest = [...this.#stacks.values()].sort((a, b) => b.weightMs - a.weightMs)
    return heaviest.map(({ entered, enteredMs, ...stack }) => {
      const callers = stack.frames.slice(1)
      const isEntered = entered === 1 && enteredMs >= MOST * stack.weightMs
      return isEntered && blamedFrame(callers) !== null ? { ...stack, frames: callers } : stack
    })
  }

  /**
   * The work that was seen longest, with the request that it is part of: of the outermost that was, the part that was.
   * It is in doubt if it was for half of the time.
   * @returns {Running}
   */
  get work () {
    const wholes = [...this.#works.values()].map((parts) => [...parts.values()])
    const seen = heaviest(heaviest(wholes, totalOf) ?? [], ({ weightMs }) => weightMs)
    const isInDoubt = seen !== undefined && seen.doubtMs * 2 >= seen.weightMs
    return (isInDoubt ? seen.doubtful : null) ?? seen?.certain ?? { work: null, request: null }
  }

  /**
   * The request that was seen longest, how many there were, its share of their time, and how long at least one of them
   * went on without another one in between.
   * @returns {{ top: RequestContext | null, distinct: number, topShare: number, longestRunMs: number }}
   */
  get requests () {
    const named = [...this.#requests.values()].filter(({ request }) => request !== null)
    named.sort((a, b) => b.weightMs - a.weightMs)
    const totalMs = named.reduce((total, { weightMs }) => total + weightMs, 0)
    const topShare = totalMs > 0 ? named[0].weightMs / totalMs : 1
    return { top: named[0]?.request ?? null, distinct: named.length, topShare, longestRunMs: this.#longestRunMs }
  }
}

/** @param {import('../types').Frame[]} frames */
const keyOf = (frames) => frames.map((frame) => `${frame.function}\n${frame.file}\n${frame.line}`).join('\r')

/**
 * Stacks that have become equal as one, heaviest first: some of their samples came before the source map did.
 * @param {Stack[]} stacks
 * @returns {Stack[]}
 */
function merged (stacks) {
  /** @type {Map<string, Stack>} */
  const distinct = new Map()
  for (const stack of stacks) {
    const key = keyOf(stack.frames)
    const { count, weightMs, lateMs } = distinct.get(key) ?? { count: 0, weightMs: 0, lateMs: 0 }
    distinct.set(key, {
      ...stack, count: count + stack.count, weightMs: weightMs + stack.weightMs, lateMs: lateMs + stack.lateMs
    })
  }
  return [...distinct.values()].sort((a, b) => b.weightMs - a.weightMs)
}

/** @param {Seen[]} parts */
function totalOf (parts) {
  return parts.reduce((total, { weightMs }) => total + weightMs, 0)
}

/**
 * The first of the heaviest, undefined of none.
 * @template T
 * @param {T[]} items
 * @param {(item: T) => number} weightOf
 * @returns {T | undefined}
 */
function heaviest (items, weightOf) {
  return [...items].sort((a, b) => weightOf(b) - weightOf(a))[0]
}

exports.Fold = Fold
exports.merged = merged
exports.STACKS = STACKS
