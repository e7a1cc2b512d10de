'use strict'

// Functions that run on top of the application's code. Built-ins are bound at load, before they can be replaced.
const captureStackTrace = Error.captureStackTrace
const getOwnPropertyDescriptor = Object.getOwnPropertyDescriptor
const defineProperty = Object.defineProperty
const hasOwn = Object.hasOwn

/** @import { Frame } from '../../types' */

/** @type {(() => void) | null} */
let restore = null

/** Restores Error after a call that V8 has terminated, which runs no `finally`. */
exports.restoreError = () => {
  restore?.()
  restore = null
}

/**
 * Sets a property of Error during a call, and restores it, or its absence. Throws if Error is frozen.
 * @template T @param {'stackTraceLimit' | 'prepareStackTrace'} name @param {unknown} value @param {() => T} call
 */
function withProperty (name, value, call) {
  // The probe may interrupt another call of this function.
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

/**
 * Notes the stack, which costs less than reading it.
 * @param {(...args: any[]) => unknown} above left out @param {number} limit
 */
exports.noteStack = (above, limit) => {
  const note = {}
  withProperty('stackTraceLimit', limit, () => captureStackTrace(note, above))
  return note
}

/**
 * The call sites of a note, readable once. The application's handler (source-map-support is slow) is set aside. While
 * V8 formats another stack, it calls no handler and returns text.
 * @param {object} note @returns {NodeJS.CallSite[] | string}
 */
exports.readNote = (note) => {
  const read = () => /** @type {{ stack?: any }} */ (note).stack
  const takeSites = (/** @type {Error} */ _, /** @type {NodeJS.CallSite[]} */ sites) => sites
  return withProperty('prepareStackTrace', takeSites, read) ?? ''
}

/** Call sites of a note, none if V8 returned text. @param {object} note @returns {NodeJS.CallSite[]} */
exports.sitesOf = (note) => {
  const sites = exports.readNote(note)
  return typeof sites === 'object' ? sites : []
}

/** A path, a `node:` name, the place of an eval, or nothing. @param {NodeJS.CallSite} site */
exports.fileOf = (site) => site.getFileName() ?? (site.isEval() ? site.getEvalOrigin() : null)

/** @param {NodeJS.CallSite} site @returns {Frame} */
exports.frameOf = (site) => ({
  function: site.getFunctionName(),
  file: exports.fileOf(site) ?? null,
  line: site.getLineNumber(),
  column: site.getColumnNumber()
})
