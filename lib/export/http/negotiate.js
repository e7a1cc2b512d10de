'use strict'

/**
 * Whether an Accept header wants a type at least as much as another one. The header has to name the type: a client
 * that takes anything is given the other.
 * @param {string} accept
 * @param {string} type
 * @param {string} other
 */
exports.prefers = (accept, type, other) => {
  const wanted = qualityOf(accept, type) ?? 0
  // The most precise of the ranges that cover the other type counts.
  const ranges = [other, other.replace(/\/.*/, '/*'), '*/*']
  const instead = ranges.map((range) => qualityOf(accept, range)).find((quality) => quality !== null) ?? 0
  return wanted > 0 && wanted >= instead
}

/**
 * How much a type is wanted, from 0 to 1: the most if it is named several times, with other parameters.
 * @param {string} accept
 * @param {string} type or range
 * @returns {number | null} null if it is not named
 */
function qualityOf (accept, type) {
  /** @type {number | null} */
  let most = null
  for (const range of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim())
    if (name !== type) continue
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    most = Math.max(most ?? 0, quality === undefined ? 1 : Number(quality.slice(2)) || 0)
  }
  return most
}
