'use strict'

// Called on top of whatever the application is doing: everything is bound here, at load, so that
// nothing is called that the application could have replaced.
const captureStackTrace = Error.captureStackTrace
const getOwnPropertyDescriptor = Object.getOwnPropertyDescriptor
const defineProperty = Object.defineProperty
const hasOwn = Object.hasOwn

/**
 * How to leave Error as it was found, while a property of it is set. A termination of the code below runs no `finally`.
 * @type {(() => void) | null}
 */
let restore = null

/** Puts back what a call that was terminated had set. */
exports.restoreError = () => {
  restore?.()
  restore = null
}

/**
 * Sets a property of Error for the time of a call. Error is left as it was found, an absent property
 * included; a frozen one throws.
 * @template T
 * @param {'stackTraceLimit' | 'prepareStackTrace'} name
 * @param {unknown} value
 * @param {() => T} call
 * @returns {T}
 */
function withProperty (name, value, call) {
  if (restore !== null) exports.restoreError()
  // Own fields alone count: an application may have given every object a `get`.
  const found = getOwnPropertyDescriptor(Error, name)
  const isWritable = found !== undefined && hasOwn(found, 'writable') && found.writable
  if (isWritable) {
    restore = () => { Error[name] = found.value }
    Error[name] = /** @type {any} */ (value)
  } else {
    const ours = { __proto__: null, value, configurable: true, writable: true, enumerable: true }
    defineProperty(Error, name, /** @type {any} */ (ours))
    restore = () => {
      if (found) defineProperty(Error, name, /** @type {any} */ ({ __proto__: null, ...found }))
      else delete Error[name]
    }
  }
  try {
    return call()
  } finally {
    exports.restoreError()
  }
}

/** @param {Error} _ @param {NodeJS.CallSite[]} sites */
function takeCallSites (_, sites) {
  return sites
}

/**
 * Notes where the thread is, for sitesOf(). Reading a note costs more than taking it.
 * @param {(...args: any[]) => unknown} above the innermost function whose frames, and those it called, are left out
 * @param {number} limit most frames
 * @returns {object}
 */
exports.noteStack = (above, limit) => {
  const note = {}
  withProperty('stackTraceLimit', limit, () => captureStackTrace(note, above))
  return note
}

/**
 * The frames of a note as V8 call sites, once. A handler of the application (source-map-support: slow) is set aside.
 * While V8 is formatting another stack it asks no handler, and writes this one by itself.
 * @param {object} note
 * @returns {NodeJS.CallSite[] | string} the text that V8 writes where it asks nobody
 */
exports.readNote = (note) => {
  const read = () => /** @type {{ stack?: any }} */ (note).stack
  return withProperty('prepareStackTrace', takeCallSites, read) ?? ''
}

/** The same as call sites alone. @param {object} note @returns {NodeJS.CallSite[]} */
exports.sitesOf = (note) => {
  const sites = exports.readNote(note)
  return typeof sites === 'object' ? sites : []
}

/** Path, `node:` name, where the code of an eval was made, or nothing. @param {NodeJS.CallSite} site */
exports.fileOf = (site) => site.getFileName() ?? (site.isEval() ? site.getEvalOrigin() : null)
