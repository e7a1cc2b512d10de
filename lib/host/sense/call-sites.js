'use strict'

// This runs on top of whatever the application is doing: all is bound at load, before the application can replace it.
const captureStackTrace = Error.captureStackTrace
const getOwnPropertyDescriptor = Object.getOwnPropertyDescriptor
const defineProperty = Object.defineProperty
const hasOwn = Object.hasOwn

/** @type {(() => void) | null} */
let restore = null

/** Leaves Error as it was before a call that V8 has terminated, which runs no `finally`. */
exports.restoreError = () => {
  restore?.()
  restore = null
}

/**
 * Leaves Error as it was after the call, an absent property included. A frozen one throws.
 * @template T @param {'stackTraceLimit' | 'prepareStackTrace'} name @param {unknown} value @param {() => T} call
 */
function withProperty (name, value, call) {
  // The probe may interrupt another call.
  const outer = restore
  // Only own fields count: an application may have given every object a `get`.
  const descriptor = getOwnPropertyDescriptor(Error, name)
  const isWritable = descriptor !== undefined && hasOwn(descriptor, 'writable') && descriptor.writable
  if (isWritable) {
    restore = () => { Error[name] = descriptor.value }
    Error[name] = /** @type {any} */ (value)
  } else {
    const ours = { __proto__: null, value, configurable: true, writable: true, enumerable: true }
    defineProperty(Error, name, /** @type {any} */ (ours))
    restore = () => {
      if (descriptor) defineProperty(Error, name, /** @type {any} */ ({ __proto__: null, ...descriptor }))
      else delete Error[name]
    }
  }
  try {
    return call()
  } finally {
    exports.restoreError()
    restore = outer
  }
}

/** @param {Error} _ @param {NodeJS.CallSite[]} sites */
function takeCallSites (_, sites) {
  return sites
}

/**
 * Reading a note costs more than taking it.
 * @param {(...args: any[]) => unknown} above left out @param {number} limit
 */
exports.noteStack = (above, limit) => {
  const note = {}
  withProperty('stackTraceLimit', limit, () => captureStackTrace(note, above))
  return note
}

/**
 * The frames of a note as V8 call sites, once. A handler of the application (source-map-support: slow) is set aside.
 * While V8 formats another stack, it calls no handler and formats this one itself.
 * @param {object} note @returns {NodeJS.CallSite[] | string} the text if V8 formatted it
 */
exports.readNote = (note) => {
  const read = () => /** @type {{ stack?: any }} */ (note).stack
  return withProperty('prepareStackTrace', takeCallSites, read) ?? ''
}

/** The same, but nothing if V8 formatted it. @param {object} note @returns {NodeJS.CallSite[]} */
exports.sitesOf = (note) => {
  const sites = exports.readNote(note)
  return typeof sites === 'object' ? sites : []
}

/** A path, a `node:` name, the place of an eval, or nothing. @param {NodeJS.CallSite} site */
exports.fileOf = (site) => site.getFileName() ?? (site.isEval() ? site.getEvalOrigin() : null)
