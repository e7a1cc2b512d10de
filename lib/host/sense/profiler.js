'use strict'

const { getHeapStatistics } = require('node:v8')
const process = require('../../util/process')
const { nowMs } = require('../../util/clock')
const { PROFILE } = require('../../bridge/messages')
const { US_PER_MS } = require('../../util/units')

/** A block is named by two samples in it; V8's timer is late at times, so a block of the threshold gets one more half of the time. */
const SAMPLES_PER_THRESHOLD = 2.5
/** More samples than this cost CPU time and wake an idle process; fewer make a flame graph of nothing. */
const LEAST_INTERVAL_MS = 10
const MOST_INTERVAL_MS = 100
/**
 * An application whose heap is not larger than this is small: a start then takes the main thread 8 to 60 ms (bare Node.js to
 * TypeScript's compiler, 21 MB; 20.20, 22.23, 24.21). With all of a large one's functions it takes up to 215 ms.
 */
const SMALL_HEAP_BYTES = 32 * 1024 * 1024
const TITLE = 'loopwatch '

/** @typedef {import('../../types').ProfilerAction} Action */

/**
 * V8's CPU profile of this thread. Its start logs every function there is, which takes longer than
 * anything else about it, and its end throws that away; so one is begun before the other is ended, and
 * taking it is then a matter of its samples: `console.profile` of the inspector can have two at a time.
 * The session is one of the thread with itself: an ending process does not wait for it.
 */
class HostProfiler {
  /** @type {import('node:inspector').Session | null} */
  #session = null
  /** @type {any} */
  #console = null
  #count = 0
  #ending = ''
  #beganAtMs = 0
  #startTookMs = 0
  /** @type {object | null} */
  #finished = null
  #counters
  #intervalMicros
  #send

  /**
   * @param {Pick<import('../../bridge/memory').Bridge, 'counters'>} bridge
   * @param {number} thresholdMs from which duration on a block is to be named
   * @param {(message: object) => void} send to the watchdog
   */
  constructor ({ counters }, thresholdMs, send) {
    this.#counters = counters
    this.#intervalMicros = Math.round(US_PER_MS * Math.min(Math.max(thresholdMs / SAMPLES_PER_THRESHOLD, LEAST_INTERVAL_MS), MOST_INTERVAL_MS))
    this.#send = send
  }

  /**
   * Called by the watchdog through the inspector, at an interrupt, and once by the agent. The time it
   * takes is no block of the application.
   * @param {any} inspector node:inspector
   * @param {Action} action
   */
  run (inspector, action) {
    const startMs = nowMs()
    // Odd from here on, also where an earlier one did not come to its end: on top of a full stack everything throws.
    this.#counters.add('profileHolds', 1 + (this.#counters.get('profileHolds') & 1))
    try {
      this.#send({ code: PROFILE, action, ...this.#try(inspector, action, startMs) })
    } catch {
      // Nobody hears of it: the watchdog asks again.
    } finally {
      this.#counters.add('profileMicros', Math.round((nowMs() - startMs) * US_PER_MS))
      this.#counters.add('profileHolds', 1)
    }
  }

  /** @param {any} inspector @param {Action} action @param {number} startMs */
  #try (inspector, action, startMs) {
    const wasOn = this.#session !== null
    let taken = null
    let failure = null
    try {
      taken = this.#do(inspector, action)
    } catch (error) {
      failure = `${error?.message}`
      this.stop()
    }
    const tookMs = nowMs() - startMs
    if (!wasOn) this.#startTookMs = tookMs
    return { isOn: this.#session !== null, tookMs: action === 'start' || action === 'startIfSmall' ? this.#startTookMs : tookMs, failure, taken }
  }

  /** @param {any} inspector @param {Action} action */
  #do (inspector, action) {
    if (action === 'stop') return this.stop()
    if (inspector.url() !== undefined) throw new Error('a debugger is attached')
    const isWanted = action === 'start' || (action === 'startIfSmall' && getHeapStatistics().used_heap_size <= SMALL_HEAP_BYTES)
    if (isWanted && this.#session === null) this.#start(inspector)
    return action === 'take' && this.#session !== null ? this.#take() : null
  }

  /** @param {any} inspector */
  #start ({ Session, console }) {
    const session = new Session()
    session.connect()
    this.#session = session
    this.#console = console
    session.post('Profiler.enable')
    session.post('Profiler.setSamplingInterval', { interval: this.#intervalMicros })
    session.on('Profiler.consoleProfileFinished', (/** @type {any} */ { params }) => {
      if (params.title === this.#ending) this.#finished = params.profile
    })
    let isBegun = false
    session.once('Profiler.consoleProfileStarted', () => { isBegun = true })
    this.#begin()
    if (!isBegun) throw new Error('the inspector does not profile')
  }

  #begin () {
    this.#beganAtMs = nowMs()
    this.#console.profile(`${TITLE}${++this.#count}`)
  }

  #take () {
    const startMs = this.#beganAtMs
    this.#ending = `${TITLE}${this.#count}`
    this.#begin()
    this.#finished = null
    this.#console.profileEnd(this.#ending)
    const profile = this.#finished
    return { startMs, endMs: this.#beganAtMs, profile }
  }

  /** The last profile is thrown away, unwritten, and ended for other sessions that have the profiler enabled: they got it, too. */
  stop () {
    const session = this.#session
    this.#session = null
    try {
      session?.disconnect()
      if (session !== null) this.#console.profileEnd(`${TITLE}${this.#count}`)
    } catch {
      // It has been closed by somebody else.
    }
    return null
  }
}

/**
 * Loads node:inspector, for this file and for lib/host/workers/inspector-proxy.js: with the first question, not for
 * everybody who starts an agent. The question comes at an interrupt, where no require() may run: applications have
 * theirs patched.
 */
exports.loadInspector = () => process.getBuiltinModule('node:inspector')

exports.HostProfiler = HostProfiler
