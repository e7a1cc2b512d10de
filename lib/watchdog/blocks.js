'use strict'

const { BlockMemory, mergeNewest } = require('../store/memory')
const { summaryOf } = require('../store/record')

/** @import { BlockRecord } from '../types' */

/** A pool that computes has a block for each task: at most this many blocks of worker threads are kept. */
const WORKER_KEEP = 100

/** All known blocks; those in progress as they are at this moment. Reading them writes nothing. */
class Blocks {
  #readOngoing

  /** @param {number} keep @param {() => BlockRecord[]} readOngoing blocks in progress */
  constructor (keep, readOngoing) {
    /** Blocks of this main thread, of its worker threads, and of the workers of a cluster. */
    this.memories = {
      main: new BlockMemory(keep),
      threads: new BlockMemory(Math.min(keep, WORKER_KEEP)),
      cluster: new BlockMemory(keep)
    }
    this.#readOngoing = readOngoing
  }

  get ongoing () {
    return this.#readOngoing()
  }

  /** Newest first, each with all its stacks. */
  records () {
    const { ongoing } = this
    return Object.entries(this.memories)
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
      Object.values(this.memories).map((memory) => memory.get(id)).find((record) => record !== undefined)
  }
}

/** @param {BlockRecord} record @returns {keyof Blocks['memories']} */
function ownerOf ({ worker, threadId }) {
  if (worker !== null) return 'cluster'
  return threadId === 0 ? 'main' : 'threads'
}

/** Counts block ids, unique in a process: a restarted watchdog adds its number. @param {number} starts before it */
function countIds (starts) {
  const life = starts === 0 ? '' : `${starts}.`
  let blocks = 0
  return () => `${process.pid}-${life}${++blocks}`
}

exports.Blocks = Blocks
exports.countIds = countIds
