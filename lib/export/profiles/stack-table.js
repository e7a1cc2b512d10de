'use strict'

const { OTHER } = require('../../tables/limits')
const { keyOf, namedFrame, stacksOfBlock } = require('./block-stacks')

/** @import { BlockRecord, Frame } from '../../types' */

/** Distinct stacks: writing more would delay the watchdog's polls. All others become one. */
const STACKS = 2000
const NO_ROUTE = '(none)'

/**
 * @typedef {'route' | 'cause' | 'thread' | 'worker'} LabelName
 * @typedef {Partial<Record<LabelName, string>>} Labels
 * @typedef {{ frames: number[], labels: Labels, count: number, weightMs: number }} TableStack equal stacks of blocks
 * with equal labels as one. `frames`: indexes, outermost first; `count`: of samples; `weightMs`: of blocked time
 */

const LABELS = /** @type {LabelName[]} */ (['route', 'cause', 'thread', 'worker'])

/** Stacks of blocks, with every distinct frame once. All formats are written from it. */
class StackTable {
  /** @type {Frame[]} */
  frames = []
  /** Stacks in the order of their blocks. @type {{ stack: TableStack, weightMs: number, count: number }[]} */
  timeline = []
  blocks = 0
  totalMs = 0
  /** Earliest start and latest end of a block, Unix time. */
  startMs = Infinity
  endMs = -Infinity
  /** @type {Map<string, TableStack>} */
  #stacks = new Map()
  /** Indexes of frames by key. @type {Map<string, number>} */
  #indexes = new Map()
  #group

  /** @param {LabelName[]} [group] labels that become the outermost frames of each stack */
  constructor (group = []) {
    this.#group = group
  }

  /** @param {BlockRecord} record */
  add (record) {
    const { durationMs, startedAt } = record
    const startMs = Date.parse(startedAt)
    this.blocks++
    this.startMs = Math.min(this.startMs, startMs)
    this.endMs = Math.max(this.endMs, startMs + durationMs)
    const labels = labelsOf(record)
    for (const { frames, weightMs, count, cause } of stacksOfBlock(record)) {
      const ids = cause === undefined
        ? frames.map((frame) => this.#indexOf(frame)).reverse()
        : [this.#indexNamed(cause === null ? '(not sampled)' : `(${cause})`)]
      this.#add(ids, labels, weightMs, count)
    }
  }

  /** @param {number[]} inner outermost first @param {Labels} labels @param {number} weightMs @param {number} count */
  #add (inner, labels, weightMs, count) {
    const outer = this.#group.map((name) => this.#indexNamed(`${name}: ${labels[name] ?? NO_ROUTE}`))
    let ids = [...outer, ...inner]
    let key = stackKey(ids, labels)
    if (this.#stacks.size >= STACKS && !this.#stacks.has(key)) {
      ids = [...outer, this.#indexNamed(OTHER)]
      key = stackKey(ids, labels)
    }
    let stack = this.#stacks.get(key)
    if (stack === undefined) {
      stack = { frames: ids, labels, count: 0, weightMs: 0 }
      this.#stacks.set(key, stack)
    }
    stack.count += count
    stack.weightMs += weightMs
    this.totalMs += weightMs
    this.timeline.push({ stack, weightMs, count })
  }

  /** @param {Frame} frame */
  #indexOf (frame) {
    const key = keyOf(frame)
    let index = this.#indexes.get(key)
    if (index === undefined) {
      index = this.frames.push(frame) - 1
      this.#indexes.set(key, index)
    }
    return index
  }

  /** @param {string} name */
  #indexNamed (name) {
    return this.#indexOf(namedFrame(name))
  }

  /** Heaviest first. @returns {TableStack[]} */
  get stacks () {
    return [...this.#stacks.values()].sort((a, b) => b.weightMs - a.weightMs)
  }
}

/** @param {number[]} ids @param {Labels} labels */
function stackKey (ids, labels) {
  return `${ids}|${LABELS.map((name) => labels[name]).join('\n')}`
}

/** @param {BlockRecord} record @returns {Labels} */
function labelsOf ({ cause, thread, worker, request }) {
  return {
    route: request === null || request.ended ? NO_ROUTE : `${request.method} ${request.route}`,
    cause,
    thread,
    ...(typeof worker === 'number' && { worker: String(worker) })
  }
}

exports.StackTable = StackTable
exports.LABELS = LABELS
exports.labelsOf = labelsOf
exports.STACKS = STACKS
