'use strict'

const { WARN } = require('../bridge/messages')

/** Every part of the agent that can fail on its own, and what is missing while it does. */
const reasons = {
  endpoint: 'the endpoint does not listen',
  inspector: 'the host cannot be asked where it is: durations only, no lines and no requests',
  requests: 'blocks are not given the name of their request',
  route: 'routes are found without the application\'s help',
  origin: 'it is not tracked where operations are created',
  profile: 'no CPU profile is taken: native calls are told by the lines around them',
  threads: 'too many worker threads: those found keep their durations, others are not watched',
  dir: 'block records are not written to disk',
  pyroscope: 'profiles of blocks do not reach Pyroscope',
  log: 'log lines cannot be written',
  cluster: 'the watchdogs of the cluster do not reach each other'
}

/**
 * @typedef {keyof typeof reasons} Reason
 * @typedef {{ message: string, code?: string }} Failure
 * @typedef {(level: 'debug' | 'info' | 'warn', fields: object, message: string) => void} Say
 */

/** What does not work at present. A change is said once, when it happens: in the log, if there is one. */
class Health {
  /** @type {Map<Reason, boolean>} */
  #states = new Map(/** @type {Reason[]} */ (Object.keys(reasons)).map((reason) => [reason, false]))
  /** @type {{ say: Say } | null} */
  #log = null
  #post

  /** @param {(message: object) => void} post to the host, which warns of a log that does not work */
  constructor (post) {
    this.#post = post
  }

  /** @param {{ say: Say }} log where changes are said from now on */
  sayIn (log) {
    this.#log = log
  }

  /** Says something in the log, if there is one. @type {Say} */
  say = (level, fields, message) => this.#log?.say(level, fields, message)

  /** @param {Reason} reason @param {Failure | null} failure null = it works */
  set (reason, failure) {
    if (this.#states.get(reason) === (failure !== null)) return
    this.#states.set(reason, failure !== null)
    // A reader that has gone away has read enough.
    const isWarned = failure !== null && reason === 'log' && failure.code !== 'EPIPE'
    if (isWarned) this.#post({ code: WARN, message: `${reasons[reason]}: ${failure.message}` })
    if (failure === null) this.say('info', { event: 'recovered', reason }, `recovered: no longer degraded (${reason})`)
    else this.say('warn', { event: 'degraded', reason }, `degraded: ${reasons[reason]}: ${failure.message}`)
  }

  /** @param {Reason} reason @returns {(failure: Failure | null) => void} set() for one reason */
  listener (reason) {
    return (failure) => this.set(reason, failure)
  }

  /** @returns {Iterable<[string, boolean]>} every reason, true while it holds */
  entries () {
    return this.#states.entries()
  }
}

exports.Health = Health
