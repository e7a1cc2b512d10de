'use strict'

/**
 * Whether an Accept header wants a type at least as much as another one. It has to name it: who
 * takes anything can be given the other.
 * @param {string} accept
 * @param {string} type
 * @param {string} other
 */
exports.prefers = (accept, type, other) => {
  const wanted = qualityOf(accept, type) ?? 0
  // Of the ranges that cover it the most precise counts.
  const instead = [other, other.replace(/\/.*/, '/*'), '*/*'].map((name) => qualityOf(accept, name)).find((quality) => quality !== null) ?? 0
  return wanted > 0 && wanted >= instead
}

/** How much, from 0 to 1: the most of those with other parameters; null where it is not named. @param {string} accept @param {string} type or range */
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
