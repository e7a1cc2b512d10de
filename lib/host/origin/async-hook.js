'use strict'

const asyncHooks = require('node:async_hooks')
const fs = require('node:fs')
const process = require('../../util/process')
const { compileFunction } = require('node:vm')
const { OWN_FOLDER } = require('../../tables/entry-points')
const { frameOf, noteStack, restoreError, sitesOf } = require('../sense/call-sites')
const { nowMs } = require('../../util/clock')

/** @import { Frame } from '../../types' */

/** Frames of an origin, before which async_hooks and its callers put up to eight more. */
const FRAMES = 20
const NOTED = FRAMES + 8
/** Living resources whose origin is kept, about 3 KB each. Beyond that the older half is dropped. */
const RESOURCES = 20000

/** Allowance for work of the collector, which watches for the end of promises. Not measured. */
const INIT_MS = 0.008

/** A call that seems to take longer has waited for a CPU. */
const LONGEST_CALL_MS = 1

const { queueMicrotask } = globalThis

const FILE = require.resolve('blocked-at')
/** Name of blocked-at in stacks, in lib/, which distinguishes it from a copy that the application runs. */
const NAME = OWN_FOLDER === null ? FILE : `${OWN_FOLDER}blocked-at.js`
const PARAMETERS = ['module', 'require', 'process', 'Error', 'Map']

/**
 * Runs blocked-at (1.2.0): `onSlow` gets every callback above the threshold, and the place where its operation was
 * created. The module runs in a scope in which a few names stand for ours. Unchanged, the module
 * - keeps every resource that outlives it in a map for good: here the map is new each time, and bounded;
 * - sets Error.stackTraceLimit to Infinity for good: here it sets ours, not the application's;
 * - formats each resource's stack with the application's Error.prepareStackTrace: here the stack is noted, and read
 *   only when it is needed, which doubles the throughput that is left;
 * - costs 12 to 25 us for each `await`, without a bound: a handler of a million awaits took 25 s. Here the hook counts
 *   its own time and switches itself off in the middle of a turn;
 * - throws in a hook if that handler returns no string, which ends the process: here such errors are ignored.
 * @param {number} thresholdMs
 * @param {(durationMs: number, type: string, frames: Frame[]) => void} onSlow
 * @param {{ budgetMs: number, onSpent: () => void, onHeld: (ms: number) => void }} budget own time of the hook. When it
 * is spent, the hook is off, and onSpent is called within an operation of the application. onHeld receives the time.
 * @returns {{ stop: () => void, resume: () => void }} resume grants the same budget again
 */
exports.runBlockedAt = (thresholdMs, onSlow, { budgetMs, onSpent, onHeld }) => {
  const module = { exports: /** @type {any} */ (null) }
  /** @type {asyncHooks.AsyncHook} */
  let hook
  const budget = new Budget(budgetMs, onHeld, () => {
    // Not in the hook itself: Node.js (20.20 to 26.10) would then switch its promise hook on again, for good.
    queueMicrotask(() => { if (budget.isSpent) hook.disable() })
    onSpent()
  })
  const createHook = (/** @type {any} */ callbacks) => (hook = asyncHooks.createHook(guarded(callbacks, budget)))
  const hooks = { createHook }
  const run = compileFunction(fs.readFileSync(FILE, 'utf8'), PARAMETERS, { filename: NAME })
  const requireFor = (/** @type {string} */ id) => id === 'async_hooks' ? hooks : require(id)
  run(module, requireFor, process, NotingError, LivingResources)
  module.exports(
    (/** @type {number} */ durationMs, /** @type {any[]} */ frames, /** @type {{ type: string }} */ { type }) =>
      onSlow(durationMs, type, frames),
    { threshold: thresholdMs })
  const stop = () => {
    hook.disable()
    budget.settle()
  }
  return { stop, resume: () => { budget.renew(); hook.enable() } }
}

class Budget {
  isSpent = false
  #spentMs = 0
  #budgetMs
  #onHeld
  #onSpent

  /** @param {number} budgetMs @param {(ms: number) => void} onHeld @param {() => void} onSpent */
  constructor (budgetMs, onHeld, onSpent) {
    this.#budgetMs = budgetMs
    this.#onHeld = onHeld
    this.#onSpent = onSpent
  }

  /** @param {number} ms */
  spend (ms) {
    this.#spentMs += ms
    if (this.#spentMs < this.#budgetMs || this.isSpent) return
    this.isSpent = true
    this.settle()
    this.#onSpent()
  }

  settle () {
    this.#onHeld(this.#spentMs)
    this.#spentMs = 0
  }

  renew () {
    this.isSpent = false
  }
}

/**
 * Catches errors of the hook, which would end the process.
 * @param {Record<string, (...args: any[]) => void>} callbacks @param {Budget} budget @returns {any}
 */
function guarded (callbacks, budget) {
  /** @param {(...args: any[]) => void} callback @returns {(a: any, b: any, c: any, d: any) => void} */
  const guard = (callback) => (a, b, c, d) => {
    if (budget.isSpent) return
    try {
      const startMs = nowMs()
      callback(a, b, c, d)
      budget.spend(Math.min(nowMs() - startMs, LONGEST_CALL_MS) + (callback === callbacks.init ? INIT_MS : 0))
    } catch { /* one resource without an origin: a frozen Error, or the application's stack is full */ }
  }
  return Object.fromEntries(Object.entries(callbacks).map(([name, callback]) => [name, guard(callback)]))
}

const NotingError = {
  /** @param {{ stack?: any }} holder */
  captureStackTrace (holder) {
    restoreError()
    holder.stack = new Stack(noteStack(NotingError.captureStackTrace, NOTED))
  }
}

/** A note that blocked-at takes for the text of a stack until it splits it into lines. */
class Stack {
  length = Infinity
  #note

  /** @param {object} note */
  constructor (note) {
    this.#note = note
  }

  /** A heading, which blocked-at cuts off, and the frames. */
  split () {
    return [null, ...sitesOf(this.#note).map(frameOf).filter(isForeign).slice(0, FRAMES)]
  }
}

/** Whether a frame is not from async_hooks, blocked-at or this package. @param {Frame} frame */
function isForeign ({ file }) {
  if (file === null) return true
  const isOwn = OWN_FOLDER !== null && file.startsWith(OWN_FOLDER)
  return !isOwn && file !== NAME && !/^node:(internal\/)?async_hooks$/.test(file)
}

/**
 * The resources that blocked-at keeps, by id. When the younger half is full, the older one is dropped. A single Map
 * whose first key is deleted with each new one would step over all deleted entries each time.
 */
class LivingResources {
  /** @type {Map<number, unknown>} */
  #young = new Map()
  /** @type {Map<number, unknown>} */
  #old = new Map()

  /** @param {number} id */
  get (id) {
    return this.#young.get(id) ?? this.#old.get(id)
  }

  /** @param {number} id @param {unknown} resource */
  set (id, resource) {
    if (this.#young.size === RESOURCES / 2) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(id, resource)
  }

  /** @param {number} id */
  delete (id) {
    if (!this.#young.delete(id)) this.#old.delete(id)
  }
}
