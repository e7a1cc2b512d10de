'use strict'

const { checkWork } = require('./validate-work')

/** @typedef {(name: string, fn: () => any) => any} Run */

/**
 * A function that runs another one as named work each time, with the same `this` and arguments.
 * @template {(...args: any[]) => any} F
 * @param {Run} run
 * @param {string} name
 * @param {F} fn
 * @returns {F}
 * @throws {import('../../tables/errors').LoopwatchError} LOOPWATCH_ERR_ARGUMENT
 */
exports.wrapWith = (run, name, fn) => {
  checkWork('wrap', name, fn)
  /** @this {unknown} @param {any[]} args */
  const wrapped = function (...args) {
    return run(name, () => Reflect.apply(fn, this, args))
  }
  // Frameworks tell handlers apart by how many parameters they have.
  for (const key of ['name', 'length']) {
    const property = Object.getOwnPropertyDescriptor(fn, key)
    if (property) Object.defineProperty(wrapped, key, { ...property, configurable: true })
  }
  return /** @type {F} */ (/** @type {unknown} */ (wrapped))
}
