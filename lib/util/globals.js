'use strict'

/** No prototype: Object.prototype may have an added `get`. @param {unknown} value @returns {PropertyDescriptor} */
exports.hiddenProperty = (value) =>
  /** @type {any} */ ({ __proto__: null, value, configurable: true, enumerable: false, writable: true })

/**
 * Holds what all copies of the package in a process share. Properties of the prototype of `globalThis` read like
 * globals; unlike those, they can be set and deleted after `Object.freeze(globalThis)`, and a test runner that searches
 * for leaked globals (lab) does not find them. An object without a prototype of its own holds them itself.
 * @param {object} global
 */
exports.sharedBy = (global) => {
  const prototype = Object.getPrototypeOf(global)
  return prototype === null || Object.getPrototypeOf(prototype) === null ? global : prototype
}

/**
 * Sets what `global[key]` reads. Returns false if the application has frozen the object that holds it.
 * @param {symbol} key @param {unknown} value @param {object} [global]
 */
exports.share = (key, value, global = globalThis) =>
  Reflect.defineProperty(exports.sharedBy(global), key, exports.hiddenProperty(value))

/** The agent of a process, as an expression that an inspector evaluates there. */
exports.AGENT = 'globalThis[Symbol.for("loopwatch.agent.1")]'
