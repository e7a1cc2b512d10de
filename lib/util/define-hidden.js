'use strict'

/**
 * The descriptor of a property that does not show and can be changed. It has no prototype: what an application
 * adds to Object.prototype (`get`, above all) is no part of it.
 * @param {unknown} value
 * @returns {PropertyDescriptor}
 */
exports.hiddenProperty = (value) =>
  /** @type {any} */ ({ __proto__: null, value, configurable: true, enumerable: false, writable: true })
