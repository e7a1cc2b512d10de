'use strict'

const { OTHER } = require('../../tables/limits')
const { stacksOfBlock } = require('./block-stacks')

/** @import { BlockRecord, Frame } from '../../types' */

/** Writing more would delay the watchdog's polls. All other stacks become one. */
const STACKS = 2000
const NO_ROUTE = '(none)'

/**
 * @typedef {'route' | 'cause' | 'thread' | 'worker'} LabelName
 * @typedef {Partial<Record<LabelName, string>>} Labels
 * @typedef {{ frames: number[], labels: Labels, count: number, weightMs: number }} TableStack equal stacks of blocks
 * with equal labels as one. `frames`: indexes, outermost first; `count`: of samples; `weightMs`: of blocked time
 */

const LABELS = /** @type {LabelName[]} */ (['route', 'cause', 'thread', 'worker'])

/** Has every distinct frame once. All formats are written from it. */
class StackTable {
  /** @type {Frame[]} */
  frames = []
  /** In the order of their blocks. @type {{ stack: TableStack, weightMs: number, count: number }[]} */
  timeline = []
  blocks = 0
  totalMs = 0
  /** Earliest start and latest end of a block, Unix time. */
  startMs = Infinity
  endMs = -Infinity
  /** @type {Map<string, TableStack>} */
  #stacks = new Map()
  /** @type {Map<string, number>} */
  #indexes = new Map()
  /** By object: blocks share most of their frames. @type {Map<Frame, number>} */
  #known = new Map()
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
        ? frames.map((frame) => this.#index(frame)).reverse()
        : [this.#named(cause === null ? '(not sampled)' : `(${cause})`)]
      this.#add(ids, labels, weightMs, count)
    }
  }

  /** @param {number[]} inner outermost first @param {Labels} labels @param {number} weightMs @param {number} count */
  #add (inner, labels, weightMs, count) {
    const outer = this.#group.map((name) => this.#named(`${name}: ${labels[name] ?? NO_ROUTE}`))
    let ids = [...outer, ...inner]
    let key = keyOf(ids, labels)
    if (this.#stacks.size >= STACKS && !this.#stacks.has(key)) {
      ids = [...outer, this.#named(OTHER)]
      key = keyOf(ids, labels)
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

  /** @param {Frame} frame of a record */
  #index (frame) {
    let index = this.#known.get(frame)
    if (index === undefined) {
      index = this.#indexOf(frame)
      this.#known.set(frame, index)
    }
    return index
  }

  /** A made-up frame is a new object each time, so #known must not keep it. @param {string} name */
  #named (name) {
    return this.#indexOf({ function: name, file: null, line: null, column: null })
  }

  /** @param {Frame} frame */
  #indexOf (frame) {
    const key = `${frame.function}\n${frame.file}\n${frame.line}`
    let index = this.#indexes.get(key)
    if (index === undefined) {
      index = this.frames.push(frame) - 1
      this.#indexes.set(key, index)
    }
    return index
  }

  /** Heaviest first. @returns {TableStack[]} */
  get stacks () {
    return [...this.#stacks.values()].sort((a, b) => b.weightMs - a.weightMs)
  }
}

/** @param {number[]} ids @param {Labels} labels */
function keyOf (ids, labels) {
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
