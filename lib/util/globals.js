'use strict'

/** No prototype: Object.prototype may have an added `get`. @param {unknown} value @returns {PropertyDescriptor} */
exports.hiddenProperty = (value) =>
  /** @type {any} */ ({ __proto__: null, value, configurable: true, enumerable: false, writable: true })

/** The agent of a process, as an expression that an inspector evaluates there. */
exports.AGENT = 'globalThis[Symbol.for("loopwatch.agent.1")]'
