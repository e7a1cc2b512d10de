'use strict'

/**
 * @typedef {object} Failure a call without an answer
 * @property {number} index
 * @property {string} code HOOK_THREW, HOOK_REJECTED, HOOK_WRONG_TYPE, HOOK_DEADLINE, HOOK_WORKER_EXITED, HOOK_NO_WORKER
 * or HOOK_STOPPED
 * @property {string} message
 *
 * @typedef {object} Outcome of a run
 * @property {number} durationMs from the first id to the last answer, as Rust sees it
 * @property {() => (string | null)[]} answers in the order of the calls
 * @property {() => Failure[]} failures
 *
 * @typedef {object} NativePool
 * @property {string} key
 * @property {number} lanes threads that have registered
 * @property {(count: number, idLength: number, deadlineMs: number, done: (outcome: Outcome) => void) => void} run
 * @property {() => void} stop
 *
 * @typedef {'last-in' | 'first-in' | 'least-loaded'} Order in which free permits are taken
 *
 * @typedef {{ depth: number, batch: number, turnMicros: number }} LaneOptions
 * @typedef {{ answer: (ticket: number, text: string) => void, refuse: (ticket: number, code: string, message: string)
 * => void }} Lane
 *
 * @typedef {object} Addon
 * @property {new (order?: Order) => NativePool} HookPool
 * @property {(key: string, single: (ticket: number, id: string) => string | null, batch: (tickets: number[], ids:
 * string[]) => (string | null)[], options: LaneOptions) => Lane} register
 */

/** @type {Map<string, Addon>} */
const loaded = new Map()

/**
 * The addon of that file. Not by require(), which would look for it first and wants a name that ends in .node.
 * Once a thread, as require() does it: each process.dlopen() makes the addon an environment that lasts as long
 * as the thread.
 * @param {string} file
 * @returns {Addon}
 */
exports.loadAddon = (file) => {
  const known = loaded.get(file)
  if (known) return known
  const container = { exports: {} }
  process.dlopen(container, file)
  const addon = /** @type {Addon} */ (container.exports)
  loaded.set(file, addon)
  return addon
}

/**
 * Registers the hook of this thread. Whatever the hook does, no exception goes into Rust: it ends the call
 * with an error, and a promise ends it when it settles.
 * @param {Addon} addon
 * @param {string} key
 * @param {import('./threads/hook').Hook} hook
 * @param {LaneOptions} options
 */
exports.registerHook = (addon, key, hook, options) => {
  const single = (/** @type {number} */ ticket, /** @type {string} */ id) => {
    try {
      const answer = hook(id)
      if (typeof answer === 'string') return answer
      if (typeof /** @type {any} */ (answer)?.then !== 'function') refuseType(ticket, answer)
      // Through resolve(), as a foreign thenable may call back at once or twice.
      else Promise.resolve(answer).then((text) => settle(ticket, text), (error) => refuse(ticket, error, 'HOOK_REJECTED'))
    } catch (error) {
      refuse(ticket, error, 'HOOK_THREW')
    }
    return null
  }
  const batch = (/** @type {number[]} */ tickets, /** @type {string[]} */ ids) =>
    ids.map((id, i) => single(tickets[i], id))
  const lane = addon.register(key, single, batch, options)

  /** @param {number} ticket @param {unknown} text */
  function settle (ticket, text) {
    if (typeof text === 'string') lane.answer(ticket, text)
    else refuseType(ticket, text)
  }

  /** @param {number} ticket @param {unknown} answer */
  function refuseType (ticket, answer) {
    lane.refuse(ticket, 'HOOK_WRONG_TYPE', `the hook must return a string, it returned ${answer === null ? 'null' : typeof answer}`)
  }

  /**
   * A code of ours stays what it is: a relay passes on what its worker said.
   * @param {number} ticket
   * @param {any} error
   * @param {string} code
   */
  function refuse (ticket, error, code) {
    const own = /^HOOK_[A-Z_]+$/.exec(String(error?.code))
    lane.refuse(ticket, own === null ? code : own[0], String(error?.message ?? error))
  }
}
