'use strict'

const { BlockMemory, mergeNewest } = require('../store/memory')
const { summaryOf } = require('../store/record')

/**
 * A pool that computes for a living has a block a task: at most so many of its blocks are kept, beside the main
 * thread's.
 */
const WORKER_KEEP = 100

/**
 * @typedef {import('../types').BlockRecord} BlockRecord
 * @typedef {keyof ReturnType<typeof openMemories>} Owner whose blocks
 */

/**
 * Where blocks are kept: those of this process's main thread, of its worker threads, and of a cluster's workers.
 * @param {number} keep
 */
function openMemories (keep) {
  return {
    main: new BlockMemory(keep),
    threads: new BlockMemory(Math.min(keep, WORKER_KEEP)),
    cluster: new BlockMemory(keep)
  }
}

/** All blocks that are known, those in progress as they are now. Reading them writes nothing. */
class Blocks {
  #memories
  #readOngoing

  /** @param {ReturnType<typeof openMemories>} memories @param {() => BlockRecord[]} readOngoing blocks in progress */
  constructor (memories, readOngoing) {
    this.#memories = memories
    this.#readOngoing = readOngoing
  }

  /** Blocks in progress, as they are now. */
  get ongoing () {
    return this.#readOngoing()
  }

  /** Newest first, each with all its stacks. */
  records () {
    const { ongoing } = this
    return Object.entries(this.#memories)
      .map(([owner, memory]) => memory.list(ongoing.filter((record) => ownerOf(record) === owner)))
      .reduce(mergeNewest)
  }

  /** Newest first, each with its heaviest stack. */
  list () {
    return this.records().map(summaryOf)
  }

  /** @param {string} id @returns {BlockRecord | undefined} with all its stacks */
  get (id) {
    return this.ongoing.find((record) => record.id === id) ??
      Object.values(this.#memories).map((memory) => memory.get(id)).find((record) => record !== undefined)
  }
}

/** @param {BlockRecord} record @returns {Owner} */
function ownerOf ({ worker, threadId }) {
  if (worker !== null) return 'cluster'
  return threadId === 0 ? 'main' : 'threads'
}

/**
 * Ids of blocks, unique within a process: a later watchdog's have the number of its life.
 * @param {number} starts before this one
 */
function countIds (starts) {
  const life = starts === 0 ? '' : `${starts}.`
  let blocks = 0
  return () => `${process.pid}-${life}${++blocks}`
}

exports.Blocks = Blocks
exports.countIds = countIds
exports.openMemories = openMemories
