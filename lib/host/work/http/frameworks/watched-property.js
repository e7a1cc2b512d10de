'use strict'

/**
 * Reports what a framework writes to a property of the objects that it makes from a prototype. For all other code it
 * stays the plain, enumerable property that the framework meant.
 * @param {any} prototype
 * @param {string} key @param {OnWrite} onWrite its errors are dropped
 * @returns {(() => void) | null} undoes it; null if the prototype cannot be changed or has the property
 */
exports.watchProperty = (prototype, key, onWrite) => {
  if (!Object.isExtensible(prototype) || key in prototype) return null
  const kValue = Symbol(key)
  const tell = guarded(onWrite)
  const hidden = { configurable: true, enumerable: false, writable: true, value: /** @type {unknown} */ (undefined) }
  const own = {
    configurable: true,
    enumerable: true,
    get () {
      return /** @type {any} */ (this)[kValue]
    },
    set (/** @type {any} */ value) {
      const object = /** @type {any} */ (this)
      const previous = object[kValue]
      object[kValue] = value
      tell(object, value, previous)
    }
  }
  const inherited = {
    configurable: true,
    enumerable: false,
    get: () => undefined,
    set (/** @type {any} */ value) {
      const object = /** @type {any} */ (this)
      Object.defineProperty(object, kValue, hidden)
      Object.defineProperty(object, key, own)
      object[kValue] = value
      tell(object, value, undefined)
    }
  }
  Object.defineProperty(prototype, key, inherited)
  return () => {
    if (Object.getOwnPropertyDescriptor(prototype, key)?.set === inherited.set) delete prototype[key]
  }
}

/** @typedef {(object: any, value: any, previous: any) => void} OnWrite */

/** @param {OnWrite} onWrite @returns {OnWrite} */
function guarded (onWrite) {
  return (object, value, previous) => {
    try {
      onWrite(object, value, previous)
    } catch {
      // This version of the framework keeps it elsewhere.
    }
  }
}
