'use strict'

/** Without a prototype, as Object.prototype may have a `get`. @param {unknown} value @returns {PropertyDescriptor} */
exports.hiddenProperty = (value) =>
  /** @type {any} */ ({ __proto__: null, value, configurable: true, enumerable: false, writable: true })

/**
 * The object whose properties all copies of the package in a process share: the prototype of `globalThis`, if it has
 * one of its own. Its properties read like globals, can be set and deleted after `Object.freeze(globalThis)`, and are
 * no leaked globals to a test runner such as lab.
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

/** Expression of the agent of a process, which an inspector evaluates there. */
exports.AGENT = 'globalThis[Symbol.for("loopwatch.agent.1")]'
