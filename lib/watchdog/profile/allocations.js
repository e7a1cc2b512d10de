'use strict'

const v8 = require('node:v8')
const { ALLOCATIONS } = require('../../bridge/messages')
const { askAllocations } = require('../loop/inspector')
const { causeRow } = require('../../tables/causes')
const { STORM_SHARE } = require('../../explain/memory')
const { allocatorsOf } = require('../../explain/profile/allocators')
const { MS_PER_S } = require('../../util/units')

/** Blocks of this kind within this time are one trouble: a function is worth its name from the second one on. */
const SAME_TROUBLE_MS = 600 * MS_PER_S
const SECOND = 2
/** A longer block gets its first second sampled: 2000 samples in 1 GB, which take 2 ms to write. */
const WINDOW_MS = 1000
/** After a profile that a block could use. Sampling takes up to 8 % of its window (26.10, 900 MB/s): 0.13 % overall. */
const REST_MS = 60 * MS_PER_S
/** After any other profile: at most 0.5 % overall. */
const RETRY_MS = 15 * MS_PER_S
/** A block settles without its profile after this long. */
const AWAIT_MS = 1000
/** A question without an answer is put again after this long: V8 must not sample for ever. */
const LOST_MS = 5 * MS_PER_S

/** @typedef {import('../../types').BlockRecord} BlockRecord */
/** @typedef {import('../../types').AllocationsAction} Action */
/** @typedef {{ fromMs: number, toMs: number, askedAtMs: number | null }} Running `askedAtMs`: when it was to end */

/** Whether the collector had time because much is allocated, not because much is kept. @param {BlockRecord} record */
const isFromAllocation = ({ cause, durationMs, evidence: { gcMs, memory } }) =>
  (causeRow(cause).blamesAllocation === true || gcMs >= STORM_SHARE * durationMs) && memory?.isHeapFull !== true

/** Lets V8 sample allocations within a block, after two blocks whose trouble they were. */
class Allocations {
  /** When the last blocks of the kind ended. @type {number[]} */
  #seenMs = []
  #isLoaded = false
  #nextAtMs = -Infinity
  #round = 0
  /** @type {Running | null} */
  #running = null
  /** @type {Omit<Running, 'askedAtMs'> & { profile: import('../../explain/profile/allocators').HeapProfile } | null} */
  #taken = null
  #parts

  /**
   * @param {object} parts @param {boolean} parts.isPossible
   * @param {(action: Action, round: number) => boolean} parts.ask at an interrupt, false if that is not possible
   * @param {(action: Action, round: number) => void} parts.tell by a message, which is read between callbacks
   * @param {() => import('../../explain/profile/allocators').Sources} parts.sources
   */
  constructor (parts) {
    this.#parts = parts
  }

  get isBusy () {
    return this.#running !== null
  }

  /** @param {number} now @param {boolean} isBlocked */
  poll (now, isBlocked) {
    if (this.#running !== null) this.#follow(this.#running, now, isBlocked)
    else if (isBlocked && this.#isWanted(now) && this.#parts.ask('start', this.#round + 1)) {
      this.#round++
      this.#running = { fromMs: now, toMs: Infinity, askedAtMs: null }
      this.#nextAtMs = now + RETRY_MS
    }
  }

  /** @param {number} now */
  #isWanted (now) {
    const [earlierMs = -Infinity] = this.#seenMs
    return this.#isLoaded && now - earlierMs < SAME_TROUBLE_MS && now >= this.#nextAtMs
  }

  /** @param {Running} running @param {number} now @param {boolean} isBlocked */
  #follow (running, now, isBlocked) {
    if (running.askedAtMs === null) {
      if (isBlocked && now - running.fromMs < WINDOW_MS) return
      running.toMs = now
      if (isBlocked && !this.#parts.ask('take', this.#round)) return
    } else if (isBlocked || now - running.askedAtMs < LOST_MS) return
    running.askedAtMs = now
    if (!isBlocked) this.#parts.tell('take', this.#round)
  }

  /** Takes a message of the host. @param {{ round: number, text: string | null }} message */
  receive ({ round, text }) {
    const running = this.#running
    if (running === null || round !== this.#round) return
    this.#running = null
    if (text === null) return
    try {
      this.#taken = { fromMs: running.fromMs, toMs: running.toMs, profile: JSON.parse(text) }
    } catch {
      // A profile that cannot be read is as good as none.
    }
  }

  /** Whether the profile of a block may still come. @param {number} endMs of the block @param {number} now */
  isAwaited (endMs, now) {
    return this.#running !== null && this.#running.fromMs < endMs && now - endMs < AWAIT_MS
  }

  /** Adds who allocated, if that is known. @param {BlockRecord} record @param {number} startMs @param {number} endMs */
  lay (record, startMs, endMs) {
    const taken = this.#taken
    if (taken === null || taken.fromMs > endMs || taken.toMs < startMs || !isFromAllocation(record)) return record
    const allocators = allocatorsOf(taken.profile, record, this.#parts.sources())
    if (allocators.length === 0) return record
    this.#nextAtMs = taken.fromMs + REST_MS
    return { ...record, allocators }
  }

  /** @param {BlockRecord} record @param {number} endMs */
  settled (record, endMs) {
    if (!this.#parts.isPossible || !isFromAllocation(record) || record.startup) return
    this.#seenMs = [...this.#seenMs, endMs].slice(-SECOND)
    if (this.#isLoaded || this.#seenMs.length < SECOND) return
    this.#isLoaded = true
    this.#parts.tell('load', 0)
  }
}

/**
 * Before Node.js 26, V8 collects the whole heap whenever a heap profile is taken: then there is none.
 * @param {'off' | 'auto' | 'on'} mode @param {{ mayInspect: boolean, post: (message: object) => void,
 * scripts: Pick<import('../kernel/script-timeouts').ScriptTimeouts, 'mayEnd'>,
 * windows: Pick<import('./profile-windows').ProfileWindows, 'sources'> }} parts
 */
exports.startAllocations = (mode, { mayInspect, scripts, windows, post }) => {
  const { startHeapProfile } = /** @type {{ startHeapProfile?: Function }} */ (/** @type {unknown} */ (v8))
  return new Allocations({
    isPossible: mode !== 'off' && mayInspect && (startHeapProfile?.length ?? 0) > 0,
    ask: (action, round) => !scripts.mayEnd && askAllocations(action, round) === null,
    tell: (action, round) => post({ code: ALLOCATIONS, action, round }),
    sources: () => windows.sources
  })
}

exports.Allocations = Allocations
