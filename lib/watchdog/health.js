'use strict'

const { WARN } = require('../bridge/messages')
const { degraded: reasons } = require('../tables/degraded')
const { Recently } = require('../util/recently')

/** @import { Reason } from '../tables/degraded' */

/** @typedef {{ message: string, code?: string }} Failure */
/** @typedef {(level: 'debug' | 'info' | 'warn', fields: object, message: string) => void} Say */

/** The parts that do not work at present. Each change is logged once, if there is a log. */
class Health {
  /** @type {Map<Reason, boolean>} */
  #states = new Map(/** @type {Reason[]} */ (Object.keys(reasons)).map((reason) => [reason, false]))
  /** @type {{ say: Say } | null} */
  #log = null
  /** @type {Set<string>} sinks that have thrown */
  #thrown = new Set()
  #post

  /** @param {(message: object) => void} post to the host, which warns if the log does not work */
  constructor (post) {
    this.#post = post
  }

  /** @param {{ say: Say }} log where changes are written from now on */
  sayIn (log) {
    this.#log = log
  }

  /** Writes to the log, if there is one. @type {Say} */
  say = (level, fields, message) => this.#log?.say(level, fields, message)

  /** @param {Reason} reason @param {Failure | null} failure null = it works */
  set (reason, failure) {
    if (this.#states.get(reason) === (failure !== null)) return
    this.#states.set(reason, failure !== null)
    // EPIPE: the reader of the log has ended, which needs no warning.
    const isWarned = failure !== null && reason === 'log' && failure.code !== 'EPIPE'
    if (isWarned) this.#post({ code: WARN, message: `${reasons[reason]}: ${failure.message}` })
    if (failure === null) this.say('info', { event: 'recovered', reason }, `recovered (${reason}): works again`)
    else {
      this.say('warn', { event: 'degraded', reason },
        `degraded (${reason}): ${reasons[reason]}. Cause: ${failure.message}`)
    }
  }

  /** @param {Reason} reason @returns {(failure: Failure | null) => void} set() for one reason */
  listener (reason) {
    return (failure) => this.set(reason, failure)
  }

  /** Logs that a sink threw, a fault of ours, once for each sink. @param {string} sink @param {Error} error */
  threw (sink, error) {
    if (this.#thrown.has(sink)) return
    this.#thrown.add(sink)
    try {
      this.say('warn', { event: 'sink', sink },
        `loopwatch failed in "${sink}", which missed a block: ${error?.message}. Please report this`)
    } catch {
      // The log itself threw.
    }
  }

  /** @returns {Iterable<[Reason, boolean]>} every reason, true while it holds */
  entries () {
    return this.#states.entries()
  }
}

/** After this long without a failure, a part counts as working again. */
const TRUST_MS = 60000

/** The last failure of a part that is judged by how lately it has failed. */
class RecentFailure {
  #failures = new Recently({ withinMs: TRUST_MS })
  /** @type {Error | null} */
  #last = null

  /** @param {Error} failure @param {number} nowMs */
  add (failure, nowMs) {
    this.#failures.add(nowMs)
    this.#last = failure
  }

  /** @param {number} nowMs @returns {Error | null} */
  at (nowMs) {
    return this.#failures.isOn(nowMs) ? this.#last : null
  }
}

exports.Health = Health
exports.RecentFailure = RecentFailure
