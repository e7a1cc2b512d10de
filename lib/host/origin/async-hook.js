'use strict'

const asyncHooks = require('node:async_hooks')
const fs = require('node:fs')
const process = require('../../util/process')
const { compileFunction } = require('node:vm')
const { OWN_FOLDER } = require('../../tables/entry-points')
const { fileOf, noteStack, sitesOf } = require('../sense/call-sites')

/** Frames of an origin; what async_hooks and its callers put in front of them takes up to eight more. */
const FRAMES = 20
const NOTED = FRAMES + 8
/** Living resources whose origin is remembered, about 3 KB each; beyond them the oldest are forgotten. */
const RESOURCES = 20000

const FILE = require.resolve('blocked-at')
const PARAMETERS = ['module', 'require', 'process', 'Error', 'Map']

/**
 * Runs blocked-at (1.2.0): `onSlow` hears of every callback that took longer than a threshold and of
 * where the operation was created that called it.
 *
 * It is run in a scope of its own, with a few names standing for ours, because as it comes it
 * - keeps every resource that outlives it in a map of its module, for good: here the map is new each
 *   time, and bounded;
 * - sets Error.stackTraceLimit to Infinity for good: here the Error it sees is ours, and the
 *   application's limit never differs where the application can see it;
 * - formats the stack of every resource, by the application's own Error.prepareStackTrace: here it
 *   is only noted, and read when it is wanted, which doubles the throughput that is left;
 * - throws in a hook where that handler returns no string, which ends the process: here what throws
 *   is passed over.
 * @param {number} thresholdMs
 * @param {(durationMs: number, type: string, frames: import('../../types').Frame[]) => void} onSlow
 * @returns {{ stop: () => void }}
 */
exports.runBlockedAt = (thresholdMs, onSlow) => {
  const module = { exports: /** @type {any} */ (null) }
  const hooks = { createHook: (/** @type {any} */ callbacks) => asyncHooks.createHook(guarded(callbacks)) }
  const run = compileFunction(fs.readFileSync(FILE, 'utf8'), PARAMETERS, { filename: FILE })
  const requireFor = (/** @type {string} */ id) => id === 'async_hooks' ? hooks : require(id)
  run(module, requireFor, process, NotingError, BoundedMap)
  return module.exports(
    (/** @type {number} */ durationMs, /** @type {any[]} */ frames, /** @type {{ type: string }} */ { type }) =>
      onSlow(durationMs, type, frames),
    { threshold: thresholdMs })
}

/**
 * An error in a hook would end the process.
 * @param {Record<string, (...args: any[]) => void>} callbacks
 * @returns {any}
 */
function guarded (callbacks) {
  /** @param {(...args: any[]) => void} callback @returns {(a: any, b: any, c: any, d: any) => void} */
  const guard = (callback) => (a, b, c, d) => {
    try {
      callback(a, b, c, d)
    } catch { /* one resource without an origin: a frozen Error, or the application's stack is full */ }
  }
  return Object.fromEntries(Object.entries(callbacks).map(([name, callback]) => [name, guard(callback)]))
}

const NotingError = {
  /** @param {{ stack?: any }} holder */
  captureStackTrace (holder) {
    holder.stack = new Stack(noteStack(NotingError.captureStackTrace, NOTED))
  }
}

/** What blocked-at takes for the text of a stack, until it splits it into lines. */
class Stack {
  length = Infinity
  #note

  /** @param {object} note */
  constructor (note) {
    this.#note = note
  }

  /** A heading, which blocked-at cuts off, and the frames. */
  split () {
    return [null, ...sitesOf(this.#note).map(toFrame).filter(isForeign).slice(0, FRAMES)]
  }
}

/** @param {NodeJS.CallSite} site @returns {import('../../types').Frame} */
function toFrame (site) {
  return {
    function: site.getFunctionName(),
    file: fileOf(site) ?? null,
    line: site.getLineNumber(),
    column: site.getColumnNumber()
  }
}

/** Not of async_hooks, of blocked-at or ours. @param {import('../../types').Frame} frame */
function isForeign ({ file }) {
  if (file === null) return true
  const isOwn = OWN_FOLDER !== null && file.startsWith(OWN_FOLDER)
  return !isOwn && file !== FILE && !/^node:(internal\/)?async_hooks$/.test(file)
}

/** @extends {Map<number, unknown>} */
class BoundedMap extends Map {
  /** @param {number} id @param {unknown} resource */
  set (id, resource) {
    if (this.size === RESOURCES) this.delete(/** @type {number} */ (this.keys().next().value))
    return super.set(id, resource)
  }
}
