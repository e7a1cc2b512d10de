'use strict'

/**
 * Does something with each item, so many at a time: for what mostly waits.
 * @template T
 * @param {Iterable<T>} items
 * @param {number} atOnce
 * @param {(item: T) => Promise<unknown>} act
 */
exports.eachOf = async (items, atOnce, act) => {
  const rest = [...items].values()
  await Promise.all(Array.from({ length: atOnce }, async () => {
    for (const item of rest) await act(item)
  }))
}
