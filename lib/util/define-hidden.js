'use strict'

/** No prototype: Object.prototype may have an added `get`. @param {unknown} value @returns {PropertyDescriptor} */
exports.hiddenProperty = (value) =>
  /** @type {any} */ ({ __proto__: null, value, configurable: true, enumerable: false, writable: true })
