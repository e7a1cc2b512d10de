'use strict'

const { blamedFrame, heaviest } = require('./frame')
const { STACKS_IN_RECORD } = require('../tables/limits')
const { roundMs } = require('../util/statistics')

/** @import { Frame, RequestContext, StackRecord, WorkContext } from '../types' */

/** Most distinct stacks kept of one block; samples of others are only counted. */
const STACKS = 40
/** If one answer has this share of a stack's time, the whole stack counts as that answer. */
const MOST = 0.8
/** A callback or work with a smaller share of a block is not listed. */
const LEAST_SHARE = 0.1

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
 * @typedef {object} Stack equal samples as one
 * @property {number} count
 * @property {number} weightMs
 * @property {number} lateMs the part of weightMs that late answers stand for
 * @property {Frame[]} frames innermost first
 * @property {Frame[]} [awaiting]
 * @property {true} [cut] the outermost frames are missing
 * @property {true} [isEntered] the only sample caught the innermost function at its entry
 * @property {WorkWeight[]} works in which it was seen, with the weight of each
 * @typedef {{ work: WorkContext | null, request: RequestContext | null }} Running
 * @typedef {Running & { weightMs: number }} WorkWeight one piece of work, or none; a separate entry if it is in doubt
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
  /** The entries that the last sample was counted in. @type {{ kept: FoldedStack, seen: WorkWeight } | null} */
  #last = null
  /** Time without a kept stack. */
  #rest = newStack({ frames: [] })
  samples = 0

  /** @param {Sample} sample */
  add ({ weightMs, beforeMs = 0, late, heldMs = 0, isJustEntered = false, request, work = null, ...stack }) {
    this.samples++
    const certain = request?.exact === false ? null : request
    this.#addRequest(certain, weightMs - beforeMs)
    this.#addToRun(certain?.id ?? null, weightMs - beforeMs, late ? heldMs : 0)
    this.#addBefore(beforeMs, late)
    const kept = this.#keep(stack)
    const seen = seenIn(kept, request, work)
    this.#last = { kept, seen }
    this.#count(weightMs - beforeMs, late)
    if (kept === this.#rest) return
    kept.count++
    if (!isJustEntered) return
    kept.entered++
    kept.enteredMs += weightMs - beforeMs
  }

  /** Adds time to the entries of the last sample. @param {number} ms @param {boolean} late */
  #count (ms, late) {
    const { kept, seen } = /** @type {{ kept: FoldedStack, seen: WorkWeight }} */ (this.#last)
    kept.weightMs += ms
    seen.weightMs += ms
    if (late) kept.lateMs += ms
  }

  /** Time before a sample's work mostly belongs to the sample before it. @param {number} ms @param {boolean} late */
  #addBefore (ms, late) {
    if (this.#last === null) this.#rest.weightMs += ms
    else this.#count(ms, late)
  }

  /** @param {Pick<Sample, 'frames' | 'awaiting' | 'cut'>} sample */
  #keep ({ frames, awaiting, cut }) {
    const key = keyOf([...frames, ...awaiting ?? []])
    let kept = this.#stacks.get(key)
    if (kept === undefined) {
      if (this.#stacks.size === STACKS) return this.#rest
      kept = newStack({ frames, ...(awaiting && { awaiting }), ...(cut && { cut }) })
      this.#stacks.set(key, kept)
    }
    return kept
  }

  /** @param {RequestContext | null} request @param {number} weightMs */
  #addRequest (request, weightMs) {
    const id = request?.id ?? null
    const known = this.#requests.get(id)
    if (known) known.weightMs += weightMs
    else if (this.#requests.size < STACKS) this.#requests.set(id, { request, weightMs })
  }

  /** @param {number | null} id of the request, null without one @param {number} weightMs @param {number} heldMs */
  #addToRun (id, weightMs, heldMs) {
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

/**
 * @param {FoldedStack} kept @param {RequestContext | null} request @param {WorkContext | null} work
 * @returns {WorkWeight}
 */
function seenIn ({ works }, request, work) {
  const key = `${work?.id ?? request?.id ?? ''} ${isDoubtful({ work, request })}`
  const seen = works.get(key) ?? { work, request, weightMs: 0 }
  if (works.size < STACKS) works.set(key, seen)
  return seen
}

/** @param {Frame[]} frames */
const keyOf = (frames) => frames.map((frame) => `${frame.function}\n${frame.file}\n${frame.line}`).join('\r')

/** Some of their samples came before the source map did: they have become equal. @param {Stack[]} stacks */
function merged (stacks) {
  /** @type {Map<string, Stack>} */
  const distinct = new Map()
  for (const stack of stacks) {
    const key = `${keyOf([...stack.frames, ...stack.awaiting ?? []])} ${stack.isEntered}`
    const { count, weightMs, lateMs, works } = distinct.get(key) ?? { count: 0, weightMs: 0, lateMs: 0, works: [] }
    distinct.set(key, {
      ...stack,
      count: count + stack.count,
      weightMs: weightMs + stack.weightMs,
      lateMs: lateMs + stack.lateMs,
      works: [...works, ...stack.works]
    })
  }
  return [...distinct.values()].sort((a, b) => b.weightMs - a.weightMs)
}

/**
 * The stack without a function that was caught at its entry: the time was spent before the call.
 * @param {Stack} stack @returns {Stack}
 */
function withoutEntered ({ isEntered, ...stack }) {
  const callers = stack.frames.slice(1)
  return isEntered && blamedFrame(callers) !== null ? { ...stack, frames: callers } : stack
}

/** The heaviest, as a record has them. @param {Stack[]} stacks @returns {StackRecord[]} */
function listed (stacks) {
  return merged(stacks).filter(({ count }) => count > 0).slice(0, STACKS_IN_RECORD)
    .map(({ count, weightMs, frames, awaiting = [], isEntered }) =>
      ({ count, weightMs: roundMs(weightMs), frames: [...frames, ...awaiting], ...(isEntered && { isEntered }) }))
}

/** Whether it is uncertain that it ran. @param {Running} running */
const isDoubtful = ({ work, request }) => (work ?? request)?.exact === false

/**
 * First the outermost work seen longest, by its name: requests of one route are one. Then its heaviest part. Null if
 * the stacks were outside any work for longest. In doubt if it was for half of the time.
 * @param {Stack[]} stacks @returns {Running}
 */
function workIn (stacks) {
  const all = stacks.flatMap(({ works }) => works)
  const part = heaviest(heaviest(all, wholesIn(all)), nameOf)
  const isInDoubt = weightOf(part.filter(isDoubtful)) * 2 >= weightOf(part)
  const [told] = heaviest(part.filter((each) => isDoubtful(each) === isInDoubt), idOf)
  return told ?? part[0] ?? NO_WORK
}

const NO_WORK = { work: null, request: null }

/** @param {Running} running */
const idOf = ({ work, request }) => `${work?.id ?? request?.id ?? ''}`

/** The name of the outermost work, as far as it is known. @param {Running[]} all */
function wholesIn (all) {
  /** By id: a request has the name of its route once that is known. @type {Map<string, string>} */
  const names = new Map()
  for (const running of all) {
    const { work, request } = running
    if (work?.parent) names.set(work.parent.id, work.parent.name)
    if (request !== null) names.set(`${request.id}`, nameOf({ work: null, request }))
    names.set(idOf(running), nameOf(running))
  }
  return (/** @type {Running} */ running) => {
    const rootId = running.work?.rootId ?? idOf(running)
    return names.get(rootId) ?? rootId
  }
}

/** Stacks with only the time of some work. @param {Stack[]} stacks @param {(running: Running) => boolean} isIt */
function within (stacks, isIt) {
  return stacks.flatMap((stack) => {
    const works = stack.works.filter(isIt)
    const weightMs = weightOf(works)
    const lateMs = Math.min(stack.lateMs, weightMs)
    return works.length === 0 ? [] : [{ ...stack, works, weightMs, lateMs }]
  })
}

/**
 * Some stacks of a block with only the time of the work that had most of it. All of them if none had, or not in these.
 * @param {Stack[]} some @param {Stack[]} all of the block
 */
function ofMost (some, all) {
  const works = all.flatMap((stack) => stack.works)
  const wholeOf = wholesIn(works)
  const most = heaviest(works, wholeOf)
  const own = within(some, (each) => wholeOf(each) === wholeOf(most[0]))
  return own.length > 0 && weightOf(most) * 2 > weightOf(all) ? own : some
}

/** @param {{ weightMs: number }[]} parts */
function weightOf (parts) {
  return parts.reduce((total, { weightMs }) => total + weightMs, 0)
}

/** The name of what was running, or an empty string. @param {Running} running */
const nameOf = ({ work, request }) => work?.name ?? (request === null ? '' : `${request.method} ${request.route}`)

exports.Fold = Fold
exports.isDoubtful = isDoubtful
exports.LEAST_SHARE = LEAST_SHARE
exports.listed = listed
exports.merged = merged
exports.nameOf = nameOf
exports.NO_WORK = NO_WORK
exports.ofMost = ofMost
exports.weightOf = weightOf
exports.within = within
exports.withoutEntered = withoutEntered
exports.workIn = workIn
exports.STACKS = STACKS
