'use strict'

const v8 = require('node:v8')
const { nowMs } = require('../../../util/clock')
const { MS_PER_MINUTE, US_PER_MS } = require('../../../util/units')

/** @import { Session } from 'node:inspector' */

/** Longest profile: of a longer block only the beginning is profiled. A sample takes 16 bytes. */
const LONGEST_MS = 5 * MS_PER_MINUTE
/**
 * Longest interval that the API allows. V8 samples at the common divisor of all intervals; this is a multiple of most.
 */
const KEEPER_MS = 1e6

/** @typedef {{ stop: () => string, [Symbol.dispose]: () => void }} Handle newer than the types we check against */

/** @type {(options: { sampleInterval: number, maxBufferSize: number }) => Handle} */
const startCpuProfile = (options) => /** @type {any} */ (v8).startCpuProfile(options)

/**
 * V8's CPU profile of this thread by `v8.startCpuProfile()`, which works where the inspector is forbidden and is hidden
 * from other sessions. A profile that no block needs is thrown away unwritten. The keeper is a second profile that
 * hardly ever samples: while it runs, V8 has its list of functions, so another profile starts in 0.1 ms. With the
 * keeper alone V8's thread sleeps (26.10: 1 wake-up of the idle process per second instead of 100).
 */
class V8Profile {
  /** @type {Handle | null} */
  #keeper = null
  /** @type {Handle | null} */
  #sampling = null
  #beganAtMs = 0
  #intervalMs

  /** @param {number} intervalMs between samples, whole */
  constructor (intervalMs) {
    this.#intervalMs = intervalMs
  }

  get isOn () {
    return this.#keeper !== null
  }

  get isResting () {
    return this.isOn && this.#sampling === null
  }

  get beganAtMs () {
    return this.#beganAtMs
  }

  start () {
    this.#keeper = startCpuProfile({ sampleInterval: KEEPER_MS, maxBufferSize: 1 })
    this.wake()
  }

  wake () {
    this.#sampling = this.#begin()
  }

  #begin () {
    this.#beganAtMs = nowMs()
    return startCpuProfile({
      sampleInterval: this.#intervalMs,
      maxBufferSize: Math.ceil(LONGEST_MS / this.#intervalMs)
    })
  }

  /** Throws its samples away and stops sampling: V8's thread ends and another begins, 0.2 to 5 ms. */
  rest () {
    const handle = this.#sampling
    this.#sampling = null
    handle?.[Symbol.dispose]()
  }

  /** Throws its samples away and goes on. The next profile begins first, so V8's thread stays: 0.2 ms. */
  renew () {
    const handle = this.#sampling
    this.#sampling = this.#begin()
    handle?.[Symbol.dispose]()
  }

  /** The profile as text, which the watchdog's thread parses. */
  take () {
    const handle = this.#sampling
    if (handle === null) return null
    const startMs = this.#beganAtMs
    this.#sampling = this.#begin()
    return { startMs, endMs: this.#beganAtMs, text: handle.stop() }
  }

  stop () {
    const handles = [this.#sampling, this.#keeper]
    this.#sampling = this.#keeper = null
    for (const handle of handles) handle?.[Symbol.dispose]()
  }
}

const TITLE = 'loopwatch '

/**
 * V8's CPU profile of this thread by an inspector session, where Node.js has nothing better. A start lists all
 * functions, which takes longest, and an end drops the list. So each profile begins before the last one ends:
 * `console.profile` of the inspector can run two at a time. The thread connects to itself, so an ending process does
 * not wait for the session. The profile cannot rest while the loop idles: a session's interval is fixed, and another
 * session would list all functions again, in 55 to 215 ms of a large application's first request after a rest. 50
 * wake-ups per second cost less.
 */
class InspectorProfile {
  /** @type {Session | null} */
  #session = null
  /** @type {any} */
  #console = null
  #count = 0
  #ending = ''
  #beganAtMs = 0
  /** @type {object | null} */
  #finished = null
  #intervalMs

  /** @param {number} intervalMs between samples */
  constructor (intervalMs) {
    this.#intervalMs = intervalMs
  }

  get isOn () {
    return this.#session !== null
  }

  get beganAtMs () {
    return this.#beganAtMs
  }

  /** @param {any} inspector node:inspector */
  start ({ Session, console }) {
    const session = new Session()
    session.connect()
    this.#session = session
    this.#console = console
    session.post('Profiler.enable')
    session.post('Profiler.setSamplingInterval', { interval: Math.round(this.#intervalMs * US_PER_MS) })
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

  /** Throws the last profile away and goes on. */
  renew () {
    this.take()
  }

  take () {
    const startMs = this.#beganAtMs
    this.#ending = `${TITLE}${this.#count}`
    this.#begin()
    this.#finished = null
    this.#console.profileEnd(this.#ending)
    const profile = this.#finished
    return { startMs, endMs: this.#beganAtMs, profile }
  }

  /** Throws the last profile away, and ends it for other sessions that have the profiler enabled. */
  stop () {
    const session = this.#session
    this.#session = null
    try {
      session?.disconnect()
      if (session !== null) this.#console.profileEnd(`${TITLE}${this.#count}`)
    } catch {
      // Somebody else has closed the session.
    }
  }
}

exports.V8Profile = V8Profile
exports.InspectorProfile = InspectorProfile
