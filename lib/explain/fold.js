'use strict'

const { blamedFrame, heaviest, isOf, ownFrame, weightOf } = require('./frame')
const { STACKS_IN_RECORD } = require('../tables/limits')
const { roundMs } = require('../util/statistics')

/** @import { Frame, RequestContext, StackRecord, WorkContext } from '../types' */

/**
 * @typedef {object} Stack equal samples as one
 * @property {number} count @property {number} weightMs
 * @property {number} lateMs the part of weightMs that late answers stand for @property {Frame[]} frames innermost first
 * @property {Frame[]} [awaiting] @property {true} [cut] the outermost frames are missing
 * @property {true} [isEntered] the only sample caught the innermost function at its entry
 * @property {WorkWeight[]} works in which it was seen, with the weight of each
 * @typedef {{ work: WorkContext | null, request: RequestContext | null }} Running
 * @typedef {Running & { weightMs: number }} WorkWeight one piece of work, or none; a separate entry if it is in doubt
 */

/** @param {Pick<Stack, 'frames' | 'awaiting'>} stack */
const keyOf = ({ frames, awaiting = [] }) =>
  [...frames, ...awaiting].map((frame) => `${frame.function}\n${frame.file}\n${frame.line}`).join('\r')

/** Stacks without equal ones, which came before the source map did. @param {Stack[]} stacks */
function merged (stacks) {
  /** @type {Map<string, Stack>} */
  const distinct = new Map()
  for (const stack of stacks) {
    const key = `${keyOf(stack)} ${stack.isEntered}`
    const other = distinct.get(key)
    distinct.set(key, other === undefined
      ? stack
      : {
          ...stack,
          count: other.count + stack.count,
          weightMs: other.weightMs + stack.weightMs,
          lateMs: other.lateMs + stack.lateMs,
          works: [...other.works, ...stack.works]
        })
  }
  return [...distinct.values()].sort((a, b) => b.weightMs - a.weightMs)
}

/** The stack without a function that was caught at its entry. @param {Stack} stack @returns {Stack} */
exports.withoutEntered = ({ isEntered, ...stack }) => {
  const callers = stack.frames.slice(1)
  return isEntered && blamedFrame(callers) !== null ? { ...stack, frames: callers } : stack
}

/**
 * The stack without functions of loopwatch and their calls. An answer in them does not show time: after a native call,
 * V8 answers in the next function that is entered. @param {Stack} stack @returns {Stack}
 */
function withoutOwn (stack) {
  const own = ownFrame(stack.frames)
  const frames = own === null ? stack.frames : stack.frames.slice(stack.frames.indexOf(own))
  return {
    ...stack,
    ...(own !== null && { isEntered: undefined }),
    frames: frames.filter((frame) => !isOf('own')(frame))
  }
}

/**
 * The heaviest stacks, as a record lists them.
 * @param {Stack[]} stacks @param {boolean} [isOwnBlock] whether loopwatch is to blame @returns {StackRecord[]}
 */
exports.listed = (stacks, isOwnBlock = false) => {
  return merged(isOwnBlock ? stacks : stacks.map(withoutOwn))
    .filter(({ count }) => count > 0).slice(0, STACKS_IN_RECORD)
    .map(({ count, weightMs, frames, awaiting = [], isEntered }) =>
      ({ count, weightMs: roundMs(weightMs), frames: [...frames, ...awaiting], ...(isEntered && { isEntered }) }))
}

/** @param {Running} running */
const isDoubtful = ({ work, request }) => (work ?? request)?.exact === false

/**
 * The work that ran longest: the outermost one by its name, as requests of one route are one, and its heaviest part.
 * Null if no work ran for longer. In doubt if its part was for half of the time.
 * @param {Stack[]} stacks @returns {Running}
 */
exports.workIn = (stacks) => {
  const all = stacks.flatMap(({ works }) => works)
  const part = heaviest(heaviest(all, wholesIn(all)), nameOf)
  const isInDoubt = weightOf(part.filter(isDoubtful)) * 2 >= weightOf(part)
  const [running] = heaviest(part.filter((each) => isDoubtful(each) === isInDoubt), idOf)
  return running ?? part[0] ?? NO_WORK
}

/** @param {Running} running */
const idOf = ({ work, request }) => `${work?.id ?? request?.id ?? ''}`

/** The name of the outermost work, as far as it is known. @param {Running[]} all */
function wholesIn (all) {
  /** Names by id: a request has the name of its route once that is known. @type {Map<string, string>} */
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

const NO_WORK = { work: null, request: null }

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
 * Some stacks of a block with only the time of the work that had most of it, unchanged without such a work.
 * @param {Stack[]} some @param {Stack[]} all of the block
 */
exports.ofMost = (some, all) => {
  const works = all.flatMap((stack) => stack.works)
  const wholeOf = wholesIn(works)
  const most = heaviest(works, wholeOf)
  const own = within(some, (each) => wholeOf(each) === wholeOf(most[0]))
  return own.length > 0 && weightOf(most) * 2 > weightOf(all) ? own : some
}

/** @param {Running} running */
const nameOf = ({ work, request }) => work?.name ?? (request === null ? '' : `${request.method} ${request.route}`)

exports.isDoubtful = isDoubtful
exports.keyOf = keyOf
exports.merged = merged
exports.nameOf = nameOf
exports.NO_WORK = NO_WORK
exports.within = within
