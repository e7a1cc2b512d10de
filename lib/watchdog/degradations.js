'use strict'

/** Every part of the agent that can fail on its own, and what is missing while it does. */
const reasons = {
  endpoint: 'the endpoint does not listen',
  inspector: 'the host cannot be asked where it is: no requests, and lines by a CPU profile at most',
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

/** @typedef {keyof typeof reasons} Reason */

/** What does not work at present. A change is said once, when it happens. */
class Degradations {
  /** @type {Map<Reason, boolean>} */
  #states = new Map(/** @type {Reason[]} */ (Object.keys(reasons)).map((reason) => [reason, false]))
  #say
  #warn

  /**
   * @param {(level: 'info' | 'warn', fields: object, message: string) => void} say in the log
   * @param {(message: string) => void} warn where the log is what does not work
   */
  constructor (say, warn) {
    this.#say = say
    this.#warn = warn
  }

  /** @param {Reason} reason @param {{ message: string, code?: string } | null} error null = it works */
  set (reason, error) {
    if (this.#states.get(reason) === (error !== null)) return
    this.#states.set(reason, error !== null)
    // A reader that has gone away has read enough.
    if (error && reason === 'log' && error.code !== 'EPIPE') this.#warn(`${reasons[reason]}: ${error.message}`)
    if (error) this.#say('warn', { event: 'degraded', reason }, `degraded: ${reasons[reason]}: ${error.message}`)
    else this.#say('info', { event: 'recovered', reason }, `recovered: no longer degraded (${reason})`)
  }

  /** @returns {Iterable<[string, boolean]>} every reason, true while it holds */
  entries () {
    return this.#states.entries()
  }
}

exports.Degradations = Degradations
