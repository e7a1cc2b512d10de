'use strict'

const { codedError } = require('../../tables/errors')

const ATTRIBUTE_CHARS = 200

/** Throws LOOPWATCH_ERR_ARGUMENT. @param {'run' | 'wrap'} method @param {unknown} name @param {unknown} fn */
exports.checkWork = (method, name, fn) => {
  if (typeof name !== 'string' || name === '') {
    throw codedError('LOOPWATCH_ERR_ARGUMENT', `the name in ${method}(name, fn)`, 'a string that is not empty', name)
  }
  if (typeof fn !== 'function') {
    throw codedError('LOOPWATCH_ERR_ARGUMENT', `fn in ${method}(name, fn)`, 'a function', fn)
  }
}

/** Keeps 8 strings and numbers of at most 200 characters. Throws LOOPWATCH_ERR_ARGUMENT. @param {unknown} attributes */
exports.attributesOf = (attributes) => {
  if (attributes === undefined || attributes === null) return undefined
  if (typeof attributes !== 'object' || Array.isArray(attributes)) {
    throw codedError('LOOPWATCH_ERR_ARGUMENT', 'attributes in run(name, fn, attributes)', 'an object', attributes)
  }
  /** @type {Record<string, string | number>} */
  const kept = {}
  let count = 0
  for (const [key, value] of Object.entries(attributes)) {
    const short = typeof value === 'string' ? value.slice(0, ATTRIBUTE_CHARS) : value
    if (typeof short !== 'string' && !Number.isFinite(short)) continue
    kept[key.slice(0, ATTRIBUTE_CHARS)] = short
    if (++count === 8) break
  }
  return kept
}

/** @template T @param {string} name @param {() => T} fn @param {Record<string, string | number>} [attributes] */
exports.runUnwatched = (name, fn, attributes) => {
  exports.checkWork('run', name, fn)
  exports.attributesOf(attributes)
  return fn()
}

/**
 * @template {(...args: any[]) => any} F @param {(name: string, fn: () => any) => any} run
 * @param {string} name @param {F} fn @returns {F} calls fn as named work. Throws LOOPWATCH_ERR_ARGUMENT
 */
exports.wrapWith = (run, name, fn) => {
  exports.checkWork('wrap', name, fn)
  /** @this {unknown} @param {any[]} args */
  const wrapped = function (...args) {
    return run(name, () => Reflect.apply(fn, this, args))
  }
  return /** @type {F} */ (exports.likeOriginal(wrapped, fn))
}

/** Copies name and length: frameworks count parameters. @param {Function} wrapped @param {Function} original */
exports.likeOriginal = (wrapped, original) => {
  for (const key of ['name', 'length']) {
    const property = Object.getOwnPropertyDescriptor(original, key)
    if (property) Object.defineProperty(wrapped, key, { ...property, configurable: true })
  }
  return wrapped
}
