'use strict'

const { HEAP_PROFILE } = require('../../bridge/messages')
const { causeRow, ownCauseOf } = require('../../tables/causes')
const { nowMs } = require('../../util/clock')
const { sharesText } = require('../../util/memory-text')
const { MS_PER_MINUTE, MS_PER_S } = require('../../util/units')

/**
 * @import { Counters } from '../../bridge/counters'
 * @import { Code } from '../../explain/record'
 * @import { BlockRecord, HeapProfileRecord } from '../../types'
 * @import { Say } from '../health'
 * @import { GcPauses } from '../loop/intervals'
 */

const RUN_MS = 10 * MS_PER_S
/** A profile ends after this long if another block finds the heap nearly full, and may be the last one. */
const SHORT_RUN_MS = 2 * MS_PER_S
/** Time between two blocks with a profile. */
const PERIOD_MS = 10 * MS_PER_MINUTE
/**
 * A start that finds no moment without open work for this long would not show what the block did. A profile of what
 * stays in use waits this long for a collection of the whole heap: if a heap grows slowly, they are rare.
 */
const LATE_MS = MS_PER_MINUTE
/** Time after which the host is asked again. */
const RETRY_MS = MS_PER_S

/** Words of the log for the memory in a profile. */
const MEANINGS = { allocatedBy: 'was allocated', keptBy: 'was allocated and stayed in use' }
const BUSY = 'while the event loop was busy with garbage collection'

/**
 * Sampling heap profiles of the host after a block by the garbage collector, one that finds the heap nearly full, or if
 * collections keep the loop busy: one of all that is allocated, and one of what stays in use.
 */
class HeapProfiling {
  /** Profiles still to be taken. @type {(keyof typeof MEANINGS)[]} */
  #kinds = []
  /** Whether the first of them is on. */
  #isOn = false
  /** Whether its garbage is collected. */
  #isCollected = false
  #beganAtMs = 0
  /** When the host is asked next. */
  #dueAtMs = 0
  #lateAtMs = 0
  #nextAtMs = 0
  /** @type {HeapProfileRecord} */
  #latest = { block: '', isHeapFull: false }
  #parts
  /** Called with what is known by then. @param {HeapProfileRecord} _profile */
  onProfile = (_profile) => {}

  /**
   * @param {object} parts @param {boolean} parts.isPossible @param {Pick<Counters, 'openWork'>} parts.counters
   * @param {Pick<GcPauses, 'isMajorWithin'>} parts.gcPauses @param {Code['table']} parts.table
   * @param {(message: object) => void} parts.post to the host @param {Say} parts.say
   */
  constructor (parts) {
    this.#parts = parts
  }

  /** The profile of the last ten minutes, null if there is none. */
  get latest () {
    const { allocatedBy, keptBy } = this.#latest
    return (allocatedBy ?? keptBy) && nowMs() < this.#nextAtMs ? this.#latest : null
  }

  /** @param {BlockRecord} record */
  settled (record) {
    const isHeapFull = record.evidence.memory?.isHeapFull === true
    if (isHeapFull) {
      this.#latest = { ...this.#latest, isHeapFull }
      this.#dueAtMs = Math.min(this.#dueAtMs, this.#beganAtMs + SHORT_RUN_MS)
    } else if (!causeRow(ownCauseOf(record)).blamesAllocation) return
    if (!record.startup) this.want(record.id, isHeapFull)
  }

  /** @param {string} [block] without one: the loop is busy with garbage collection */
  want (block = '', isHeapFull = false) {
    const now = nowMs()
    if (!this.#parts.isPossible || now < this.#nextAtMs || (block === '' && this.#kinds.length > 0)) return
    // V8 may be about to end the process.
    this.#kinds = isHeapFull ? ['keptBy', 'allocatedBy'] : ['allocatedBy', 'keptBy']
    this.#latest = { block, isHeapFull }
    this.#lateAtMs = now + LATE_MS
  }

  /** @param {number} now @param {boolean} isBlocked */
  poll (now, isBlocked) {
    const { counters, gcPauses, post } = this.#parts
    if (this.#kinds.length === 0 || isBlocked || now < this.#dueAtMs) return
    this.#isCollected ||= gcPauses.isMajorWithin(this.#dueAtMs, now)
    if (this.#isOn ? !this.#isCollected && now < this.#lateAtMs : counters.openWork > 0 || now >= this.#lateAtMs) return
    this.#dueAtMs = now + RETRY_MS
    post({ code: HEAP_PROFILE, isStart: !this.#isOn, isCounting: this.#kinds[0] === 'allocatedBy' })
  }

  /** Takes an answer of the host. @param {{ isOn: boolean, text: string | null }} answer */
  receive ({ isOn, text }) {
    const now = nowMs()
    this.#isOn = isOn
    this.#nextAtMs = now + PERIOD_MS
    if (isOn) {
      this.#beganAtMs = now
      this.#dueAtMs = now + RUN_MS
      this.#lateAtMs = now + LATE_MS
      this.#isCollected = this.#kinds[0] === 'allocatedBy'
      return
    }
    // Without a text, another profiler of the heap is on, or has ended this profile.
    const [kind] = this.#kinds.splice(0, text === null ? Infinity : 1)
    if (text === null || !this.#isCollected) return
    const { table, say } = this.#parts
    const { heaviestFunctions } = require('../../explain/profile/heap-functions')
    const functions = heaviestFunctions(text, kind === 'keptBy', (frame) => table.named(table.get(frame)))
    if (functions.length === 0) return
    this.#latest = { ...this.#latest, [kind]: functions }
    const { block } = this.#latest
    say('info', { event: 'heap_profile', block, [kind]: functions },
      `memory that ${MEANINGS[kind]} ${block === '' ? BUSY : `after block ${block}`}: ${sharesText(functions)}`)
    this.onProfile(this.#latest)
  }
}

exports.HeapProfiling = HeapProfiling
