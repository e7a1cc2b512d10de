'use strict'

const fs = require('node:fs')
const Module = require('node:module')
const { setImmediate } = require('node:timers')
const process = require('../../../../util/process')
const { callerOf, isNodes } = require('../../code-ownership')
const { wallMs } = require('../loop-meter')
const { wrapSync } = require('./wrap-sync')

/** @import { Frame } from '../../../../types' */

/** Frames of a stack: the application's line is rarely further out. */
const FRAMES = 30
/** Most places that are written: a program that makes new functions for each call must not fill the disk. */
const PLACES = 10_000

/** @typedef {{ begun: number, isAllowed: boolean, write: (line: object) => void }} Log begun: how many tests so far */

/** Reports the application's synchronous calls: each line and test at once, counts when the process exits. */
class SyncCalls {
  /** @type {Map<string, { id: number, count: number }>} */
  #places = new Map()
  #log
  #all
  #isStartup = true
  #isExiting = false

  /** @param {Log} log @param {boolean} all calls of runners, loaders and transformers count too */
  constructor (log, all) {
    this.#log = log
    this.#all = all
    setImmediate(() => { this.#isStartup = false }).unref()
    // A listener of `exit` cannot work asynchronously.
    process.on('exit', () => {
      this.#isExiting = true
      for (const { id, count } of this.#places.values()) if (count > 1) log.write({ type: 'sync-count', id, count })
    })
  }

  /** @param {string} call @param {string} twin @param {Function} wrapper the function that was called */
  note (call, twin, wrapper) {
    if (this.#isExiting || this.#log.isAllowed) return
    const caller = this.#callerFrom(wrapper)
    if (caller === null) return
    const { begun } = this.#log
    const { function: name, file, line, column } = caller.frame
    const key = `${begun}\n${call}\n${file}\n${line}\n${column}`
    const place = this.#places.get(key)
    if (place !== undefined) {
      place.count++
    } else if (this.#places.size < PLACES) {
      const id = this.#places.size
      this.#places.set(key, { id, count: 1 })
      this.#log.write({
        type: 'sync',
        id,
        call,
        twin,
        function: name,
        file,
        line,
        column,
        package: caller.package,
        isStartup: this.#isStartup,
        atMs: wallMs()
      })
    }
  }

  /** @param {Function} wrapper */
  #callerFrom (wrapper) {
    // While modules load, Node.js calls its own functions a thousand times. One frame shows that.
    const [nearest] = stackAbove(wrapper, 1)
    if (nearest === undefined || isNodes(nearest)) return null
    return callerOf(stackAbove(wrapper, FRAMES), process.argv[1] ?? '', this.#all)
  }
}

/** @param {Function} above @param {number} frames @returns {Frame[]} innermost first */
function stackAbove (above, frames) {
  const { prepareStackTrace, stackTraceLimit } = Error
  /** @type {{ stack?: unknown }} */
  const holder = {}
  try {
    Error.stackTraceLimit = frames
    Error.prepareStackTrace = (_, sites) => sites.map((site) => ({
      function: site.getFunctionName(),
      file: site.getFileName() ?? null,
      line: site.getLineNumber(),
      column: site.getColumnNumber()
    }))
    Error.captureStackTrace(holder, above)
    return Array.isArray(holder.stack) ? holder.stack : []
  } catch {
    // An application may have frozen Error.
    return []
  } finally {
    try {
      Error.prepareStackTrace = prepareStackTrace
      Error.stackTraceLimit = stackTraceLimit
    } catch {}
  }
}

/**
 * The synchronous functions of this thread report from now on. Only `loopwatch test --sync` calls it.
 * @param {Log} log @param {boolean} all
 * @returns {{ watchGlobal: (global: any) => void }} for another context, such as one of Jest's
 */
exports.watchSyncCalls = (log, all) => {
  const calls = new SyncCalls(log, all)
  const wraps = wrapSync((call, twin, wrapper) => calls.note(call, twin, wrapper))
  wraps.modules({ fs, load: silently })
  wraps.atomics(globalThis)
  // Names imported from a built-in module are copies.
  Module.syncBuiltinESMExports()
  return { watchGlobal: wraps.atomics }
}

/** Without an experimental warning; undefined if missing. @param {string} name @returns {any} */
function silently (name) {
  const { emitWarning } = process
  try {
    process.emitWarning = () => {}
    return process.getBuiltinModule?.(name)
  } catch {
    return undefined
  } finally {
    process.emitWarning = emitWarning
  }
}
