'use strict'

const { checkWork } = require('./validate-work')

/**
 * @template {(...args: any[]) => any} F @param {(name: string, fn: () => any) => any} run
 * @param {string} name @param {F} fn @returns {F} calls fn as named work. Throws LOOPWATCH_ERR_ARGUMENT
 */
exports.wrapWith = (run, name, fn) => {
  checkWork('wrap', name, fn)
  /** @this {unknown} @param {any[]} args */
  const wrapped = function (...args) {
    return run(name, () => Reflect.apply(fn, this, args))
  }
  // Frameworks distinguish handlers by their number of parameters.
  for (const key of ['name', 'length']) {
    const property = Object.getOwnPropertyDescriptor(fn, key)
    if (property) Object.defineProperty(wrapped, key, { ...property, configurable: true })
  }
  return /** @type {F} */ (/** @type {unknown} */ (wrapped))
}
