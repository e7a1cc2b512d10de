'use strict'

const { TURNS } = require('../../bridge/beat')
const { RESOURCES } = require('../../bridge/messages')
const { poolThreads } = require('../kernel/pool-threads')
const { BusyIncident } = require('./busy-incident')
const { PoolIncident } = require('./pool-incident')
const { PoolProbe } = require('./pool-probe')
const { busyText, poolEndedText, poolText, POOL_ADVICE } = require('./slow-text')
const { MS_PER_S } = require('../../util/units')

/** The pool is measured this often while the application works. */
const PROBE_MS = 250
/** A loop that works for this share of the time is at work; on Linux, one that does not rest. */
const WORK_SHARE = 0.05
/** A host that does not say within this time what waits is busy itself: then the log goes without. */
const ANSWER_MS = 500
/** Incidents of one kind are logged at most this often. The metrics have all. */
const LOG_MS = 10000
/** What libuv has unless UV_THREADPOOL_SIZE says otherwise. */
const THREADS = 4

/**
 * @typedef {object} Parts
 * @property {import('../../bridge/memory').Bridge} bridge @property {import('../health').Say} say
 * @property {(delayMs: number) => void} observePoolDelay @property {(message: object) => void} post to the host
 * @property {(startMs: number, endMs: number) => import('../../types').Frame | null} frameIn which had most of the time
 */

/** Sees what makes an application slow without a block: a full thread pool, or a loop that is busy with short turns. */
class SlowWatch {
  #parts
  #probe
  #pool = new PoolIncident()
  #busy = new BusyIncident()
  #askAtMs = 0
  #secondAtMs = 0
  #last = { activeMs: 0, idleMs: 0 }
  /** A full pool whose log line waits for the host's answer. @type {import('./pool-incident').PoolEvent | null} */
  #unsaid = null
  #unsaidUntilMs = 0
  /** Whether the beginning was logged, so that the end is as well. */
  #isPoolSaid = false
  #poolSaidAtMs = -Infinity
  #busySaidAtMs = -Infinity
  #blockedMs = 0

  /** @param {Parts} parts */
  constructor (parts) {
    this.#parts = parts
    this.#probe = new PoolProbe((askedAtMs, doneAtMs) => this.#done(askedAtMs, doneAtMs))
  }

  /** A block has settled. @param {number} durationMs */
  blocked (durationMs) {
    this.#blockedMs += durationMs
  }

  /** @param {number} now */
  poll (now) {
    const { askedAtMs } = this.#probe
    if (askedAtMs !== null) this.#seePool(askedAtMs, now, false)
    else if (now >= this.#askAtMs) {
      this.#askAtMs = now + PROBE_MS
      if (this.#isWorking()) this.#probe.ask()
    }
    if (this.#unsaid !== null && now >= this.#unsaidUntilMs) this.answered({ counts: {}, threads: THREADS })
    if (now < this.#secondAtMs) return
    this.#secondAtMs = now + MS_PER_S
    this.#seeBusy(now)
  }

  #isWorking () {
    const { counters, beat } = this.#parts.bridge
    const { rest, activeMs, idleMs } = beat.read()
    const [active, idle] = [activeMs - this.#last.activeMs, idleMs - this.#last.idleMs]
    this.#last = { activeMs, idleMs }
    if (this.#pool.isOpen || counters.get('inFlight') > 0 || counters.get('workInFlight') > 0) return true
    return counters.get('seesSleep') > 0 ? (rest ?? TURNS) === TURNS : active >= WORK_SHARE * (active + idle)
  }

  /** @param {number} askedAtMs @param {number} doneAtMs */
  #done (askedAtMs, doneAtMs) {
    const { observePoolDelay, bridge } = this.#parts
    observePoolDelay(doneAtMs - askedAtMs)
    bridge.counters.setPoolDelay(doneAtMs - askedAtMs)
    this.#seePool(askedAtMs, doneAtMs, true)
  }

  /** @param {number} askedAtMs @param {number} now @param {boolean} isDone */
  #seePool (askedAtMs, now, isDone) {
    const { bridge: { counters }, say, post } = this.#parts
    const event = this.#pool.see(askedAtMs, now, isDone, counters.get('inFlight') + counters.get('workInFlight'))
    if (event?.type === 'opened' && now - this.#poolSaidAtMs >= LOG_MS) {
      this.#poolSaidAtMs = now
      this.#unsaid = event
      this.#unsaidUntilMs = now + ANSWER_MS
      post({ code: RESOURCES })
    } else if (event?.type === 'ended') {
      this.answered({ counts: {}, threads: THREADS })
      if (this.#isPoolSaid) say('warn', { event: 'pool_free', ...fieldsOf(event) }, poolEndedText(event))
      this.#isPoolSaid = false
    }
  }

  /** The host says what it waits for. @param {import('./slow-text').Filling} filling */
  answered (filling) {
    const event = this.#unsaid
    if (event === null) return
    this.#unsaid = null
    this.#isPoolSaid = true
    const fields = { event: 'pool_full', ...fieldsOf(event), resources: filling.counts, advice: POOL_ADVICE }
    this.#parts.say('warn', fields, poolText(event, filling, poolThreads()))
  }

  /** @param {number} now */
  #seeBusy (now) {
    const { bridge: { beat, counters }, say, frameIn } = this.#parts
    const { atMs, activeMs } = beat.read()
    const event = this.#busy.see({ atMs, activeMs, blockedMs: this.#blockedMs, turns: counters.get('loopTurns') })
    counters.setBusy(this.#busy.sinceMs === null ? 0 : atMs - this.#busy.sinceMs)
    if (event?.type !== 'opened' || now - this.#busySaidAtMs < LOG_MS) return
    this.#busySaidAtMs = now
    const { startMs, endMs, share: utilization, turns } = event
    const frame = frameIn(startMs, endMs)
    const fields = { event: 'busy', durationMs: Math.round(endMs - startMs), utilization, turns, frame }
    say('warn', fields, busyText(event, frame))
  }
}

/** @param {import('./pool-incident').PoolEvent} event */
function fieldsOf ({ startMs, endMs, longestMs, inFlight }) {
  return { durationMs: Math.round(endMs - startMs), longestMs: Math.round(longestMs), inFlight }
}

exports.SlowWatch = SlowWatch
