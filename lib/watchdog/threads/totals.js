'use strict'

/**
 * @typedef {object} ThreadState what metrics report of the worker threads of one name
 * @property {number} activeMs @property {number} idleMs @property {number} heartbeatAgeMs
 * @property {number} inProgressMs @property {{ user: number, system: number }} cpu seconds
 */

/** @returns {ThreadState} */
const nothing = () => ({ activeMs: 0, idleMs: 0, heartbeatAgeMs: 0, inProgressMs: 0, cpu: { user: 0, system: 0 } })

/** Sums by name, with ended threads, so no counter goes backwards. For ages and durations, the largest is reported. */
class Totals {
  /** @type {Map<string, ThreadState>} by label, of ended threads */
  #ended = new Map()

  /** @param {string} label @param {ThreadState} state its last */
  end (label, state) {
    const base = this.#ended.get(label) ?? nothing()
    this.#ended.set(label, add(base, { ...state, heartbeatAgeMs: 0, inProgressMs: 0 }))
  }

  /** Sums by label, with how many of its threads live. @param {{ label: string, state: ThreadState }[]} living */
  sum (living) {
    const sums = new Map([...this.#ended].map(([label, state]) => [label, { ...state, count: 0 }]))
    for (const { label, state } of living) {
      const sum = sums.get(label) ?? { ...nothing(), count: 0 }
      sums.set(label, { ...add(sum, state), count: sum.count + 1 })
    }
    return sums
  }
}

/** @param {ThreadState} a @param {ThreadState} b @returns {ThreadState} */
function add (a, b) {
  return {
    activeMs: a.activeMs + b.activeMs,
    idleMs: a.idleMs + b.idleMs,
    heartbeatAgeMs: Math.max(a.heartbeatAgeMs, b.heartbeatAgeMs),
    inProgressMs: Math.max(a.inProgressMs, b.inProgressMs),
    cpu: { user: a.cpu.user + b.cpu.user, system: a.cpu.system + b.cpu.system }
  }
}

exports.Totals = Totals
