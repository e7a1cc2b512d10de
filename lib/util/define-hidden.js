'use strict'

/**
 * A hidden property that can be changed. No prototype, as an application may have added `get` to Object.prototype.
 * @param {unknown} value @returns {PropertyDescriptor}
 */
exports.hiddenProperty = (value) =>
  /** @type {any} */ ({ __proto__: null, value, configurable: true, enumerable: false, writable: true })
