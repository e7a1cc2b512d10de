'use strict'

const { nowMs } = require('../../util/clock')
const { LogBudget } = require('../../export/log/budget')
const { BlockMemory } = require('../../store/memory')

/** A pool that computes for a living has a block a task; the main thread's are not to be swept out by them. */
const KEEP = 100

/** @typedef {import('../../store/record').BlockRecord} BlockRecord */

/**
 * What becomes of worker threads' blocks: all are counted, the latest kept in a memory of their own,
 * and as many filed as a person would read.
 */
class ThreadReports {
  #parts
  #budget = new LogBudget(nowMs())
  /** @type {Set<string>} blocks in progress of which the log knows */
  #opened = new Set()

  /**
   * @param {object} parts
   * @param {number} parts.keep
   * @param {{ append: (record: BlockRecord) => void } | null} parts.file
   * @param {import('../../export/log/log').BlockLog | null} parts.log
   * @param {{ observeBlock: (record: BlockRecord) => void }} parts.metrics
   * @param {(record: BlockRecord) => void} parts.onSettled
   * @param {(record: BlockRecord) => void} [parts.onPut] whatever is kept
   * @param {(id: string) => void} [parts.onDropped] what was kept, and was none
   * @param {(record: BlockRecord) => void} parts.tell the primary of a cluster
   */
  constructor (parts) {
    this.#parts = parts
    this.memory = new BlockMemory(Math.min(parts.keep, KEEP), parts.onPut)
  }

  /** Without a sample it may yet prove to be none, which no file or log could take back. @param {BlockRecord} record */
  opened (record) {
    this.#ongoing(record)
  }

  /** @param {BlockRecord} record */
  lasting (record) {
    this.#ongoing(record)
  }

  /** @param {BlockRecord} record */
  ended (record) {
    if (record.samples > 0) this.memory.put(record)
  }

  /** @param {BlockRecord} record */
  settled (record) {
    this.#opened.delete(record.id)
    this.#keep(record)
    this.#parts.metrics.observeBlock(record)
    this.#parts.log?.settled(record)
    this.#parts.onSettled(record)
  }

  /** It was none. @param {BlockRecord} record */
  dropped (record) {
    this.#opened.delete(record.id)
    this.memory.delete(record.id)
    this.#parts.onDropped?.(record.id)
  }

  /** @param {BlockRecord} record */
  #ongoing (record) {
    if (record.samples === 0) {
      this.memory.put(record)
      return
    }
    this.#keep(record)
    if (this.#opened.has(record.id)) {
      this.#parts.log?.lasting(record)
    } else {
      this.#opened.add(record.id)
      this.#parts.log?.opened(record)
    }
  }

  /** How many ended blocks were not filed since the last call. */
  takeUnfiled () {
    const count = this.#budget.takeSuppressed()
    return this.#parts.file === null ? 0 : count
  }

  /** @param {BlockRecord} record */
  #keep (record) {
    this.memory.put(record)
    if (!this.#budget.allows(record, nowMs())) return
    this.#parts.file?.append(record)
    this.#parts.tell(record)
  }
}

exports.ThreadReports = ThreadReports
