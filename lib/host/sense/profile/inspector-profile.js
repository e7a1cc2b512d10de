'use strict'

const { nowMs } = require('../../../util/clock')
const { US_PER_MS } = require('../../../util/units')

/** @import { Session } from 'node:inspector' */

const TITLE = 'loopwatch '

/**
 * V8's CPU profile of this thread by an inspector session, if Node.js has nothing better. A start logs every function
 * there is, which takes longest, and an end throws that log away. So a profile begins before the last one ends, and
 * taking one costs only its samples: `console.profile` of the inspector can run two at a time. The session connects the
 * thread to itself, so an ending process does not wait for it. It cannot rest while the loop idles. A session's
 * interval is fixed while it profiles, and each session has its own profiler in V8, whose start lists all functions
 * again: 55 to 215 ms of the main thread in a large application, in the first request after a rest. 50 wake-ups a
 * second cost less.
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

  /** Throws the last profile away, and ends it for other sessions that have the profiler enabled, which got it too. */
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

exports.InspectorProfile = InspectorProfile
