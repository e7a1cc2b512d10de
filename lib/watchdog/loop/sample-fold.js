'use strict'

const { isDoubtful, keyOf } = require('../../explain/fold')
const { weightOf } = require('../../explain/frame')

/**
 * @import { Frame, RequestContext, WorkContext } from '../../types'
 * @import { Stack, WorkWeight } from '../../explain/fold'
 */

/** Most distinct stacks kept of one block; samples of other stacks are only counted. */
const STACKS = 40
/** If one answer has this share of a stack's time, the whole stack counts as that answer. */
const MOST = 0.8

/**
 * @typedef {object} Sample one sample of the host within a block
 * @property {number} weightMs the time of the block that it stands for: since the sample before it
 * @property {number} [beforeMs] the part of weightMs before its work began, which belongs to other work
 * @property {boolean} late it was answered only after a native call or a sleep had ended
 * @property {number} [heldMs] how long that call or sleep delayed the answer
 * @property {boolean} [isJustEntered] its innermost function had just been entered: the call before took the time
 * @property {RequestContext | null} request
 * @property {WorkContext | null} [work] the innermost, which may be the request itself
 * @property {Frame[]} frames innermost first
 * @property {Frame[]} [awaiting] async functions that await what runs, innermost first
 * @property {true} [cut] the outermost frames are missing
 * @typedef {Omit<Stack, 'works'> & { works: Map<string, WorkWeight>, entered: number, enteredMs: number }} FoldedStack
 * `entered`: number of its samples with a function just entered, `enteredMs`: their part of weightMs
 */

/** The samples of one block, equal stacks folded, so that an endless block takes bounded memory. */
class Fold {
  /** @type {Map<string, FoldedStack>} */
  #stacks = new Map()
  /** @type {Map<number | null, { request: RequestContext | null, weightMs: number }>} by id, null without a request */
  #requests = new Map()
  /** The current run of samples with one request: the time between them, plus how long a call delayed the first one. */
  #run = { id: /** @type {number | null} */ (null), ms: 0 }
  #longestRunMs = 0
  /** The entries that the last sample was counted in. @type {{ kept: FoldedStack, workWeight: WorkWeight } | null} */
  #last = null
  /** Time without a kept stack. */
  #rest = newStack({ frames: [] })
  samples = 0

  /** @param {Sample} sample */
  add ({ weightMs, beforeMs = 0, late, heldMs = 0, isJustEntered = false, request, work = null, ...stack }) {
    this.samples++
    const ownMs = weightMs - beforeMs
    this.#addRequest(request?.exact === false ? null : request, ownMs, late ? heldMs : 0)
    // Time before a sample's work mostly belongs to the sample before it.
    if (this.#last === null) this.#rest.weightMs += beforeMs
    else this.#count(beforeMs, late)
    const kept = this.#keep(stack)
    const key = `${work?.id ?? request?.id ?? ''} ${isDoubtful({ work, request })}`
    const workWeight = kept.works.get(key) ?? { work, request, weightMs: 0 }
    if (kept.works.size < STACKS) kept.works.set(key, workWeight)
    this.#last = { kept, workWeight }
    this.#count(ownMs, late)
    if (kept === this.#rest) return
    kept.count++
    if (!isJustEntered) return
    kept.entered++
    kept.enteredMs += ownMs
  }

  /** Adds time to the entries of the last sample. @param {number} ms @param {boolean} late */
  #count (ms, late) {
    const { kept, workWeight } = /** @type {{ kept: FoldedStack, workWeight: WorkWeight }} */ (this.#last)
    kept.weightMs += ms
    workWeight.weightMs += ms
    if (late) kept.lateMs += ms
  }

  /** @param {Pick<Sample, 'frames' | 'awaiting' | 'cut'>} sample */
  #keep ({ frames, awaiting, cut }) {
    const key = keyOf({ frames, awaiting })
    let kept = this.#stacks.get(key)
    if (kept === undefined) {
      if (this.#stacks.size === STACKS) return this.#rest
      kept = newStack({ frames, ...(awaiting && { awaiting }), ...(cut && { cut }) })
      this.#stacks.set(key, kept)
    }
    return kept
  }

  /** @param {RequestContext | null} request @param {number} weightMs @param {number} heldMs */
  #addRequest (request, weightMs, heldMs) {
    const id = request?.id ?? null
    const entry = this.#requests.get(id)
    if (entry) entry.weightMs += weightMs
    else if (this.#requests.size < STACKS) this.#requests.set(id, { request, weightMs })
    this.#run = id === this.#run.id ? { id, ms: this.#run.ms + weightMs } : { id, ms: Math.min(heldMs, weightMs) }
    if (id !== null) this.#longestRunMs = Math.max(this.#longestRunMs, this.#run.ms)
  }

  /**
   * Heaviest first. A function that is caught at its entry again and again takes the time itself. If the thread loses
   * its CPU while it answers, the next question may still be answered in the same place.
   * @returns {Stack[]}
   */
  get stacks () {
    const kept = [...this.#stacks.values()].sort((a, b) => b.weightMs - a.weightMs)
    if (this.#rest.weightMs > 0) kept.push(this.#rest)
    return kept.map(({ entered, enteredMs, works, ...stack }) => {
      const isEntered = entered === 1 && enteredMs >= MOST * stack.weightMs
      return { ...stack, ...(isEntered && { isEntered }), works: [...works.values()] }
    })
  }

  /** The request seen longest, how many there were, its share of their time, its longest time without another. */
  get requests () {
    const named = [...this.#requests.values()].filter(({ request }) => request !== null)
    named.sort((a, b) => b.weightMs - a.weightMs)
    const totalMs = weightOf(named)
    const topShare = totalMs > 0 ? named[0].weightMs / totalMs : 1
    return { top: named[0]?.request ?? null, distinct: named.length, topShare, longestRunMs: this.#longestRunMs }
  }
}

/** @param {Pick<Sample, 'frames' | 'awaiting' | 'cut'>} sample @returns {FoldedStack} */
const newStack = (sample) =>
  ({ count: 0, weightMs: 0, lateMs: 0, entered: 0, enteredMs: 0, ...sample, works: new Map() })

exports.Fold = Fold
exports.STACKS = STACKS
