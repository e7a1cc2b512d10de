'use strict'

/**
 * Whether an Accept header wants a type at least as much as another one. It has to name it: who
 * takes anything can be given the other.
 * @param {string} accept
 * @param {string} type
 * @param {string} other
 */
exports.prefers = (accept, type, other) => {
  const wanted = qualityOf(accept, type)
  return wanted > 0 && wanted >= qualityOf(accept, other)
}

/** How much, from 0 to 1: the most of those with other parameters. @param {string} accept @param {string} type */
function qualityOf (accept, type) {
  let most = 0
  for (const range of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim())
    if (name !== type) continue
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    most = Math.max(most, quality === undefined ? 1 : Number(quality.slice(2)) || 0)
  }
  return most
}
