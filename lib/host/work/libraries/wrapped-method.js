'use strict'

/**
 * Passes each call of a method through `around`. It keeps its name, length, `this`, arguments, results and errors.
 * @param {any} owner a prototype, or a module's exports @param {string} key
 * @param {(self: any, args: any[], call: () => any) => any} around
 * @returns {(() => void) | null} restores the method; null if there is none, or it cannot be changed
 */
exports.wrapMethod = (owner, key, around) => {
  const original = owner?.[key]
  const own = Object.getOwnPropertyDescriptor(owner, key)
  const isChangeable = own === undefined ? Object.isExtensible(owner) : own.configurable && 'value' in own
  if (typeof original !== 'function' || !isChangeable) return null
  /** @this {unknown} @param {any[]} args */
  const wrapped = function (...args) {
    return around(this, args, () => Reflect.apply(original, this, args))
  }
  for (const name of ['name', 'length']) Object.defineProperty(wrapped, name, { value: original[name], configurable: true })
  Object.defineProperty(owner, key, { configurable: true, enumerable: false, writable: true, ...own, value: wrapped })
  return () => {
    // Somebody else may have wrapped ours meanwhile: it then passes calls on, and names nothing any more.
    if (owner[key] !== wrapped) return
    if (own === undefined) delete owner[key]
    else Object.defineProperty(owner, key, own)
  }
}
