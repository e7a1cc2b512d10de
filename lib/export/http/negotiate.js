'use strict'

/**
 * Whether an Accept header wants a type at least as much as another one. The header must name the type. A client that
 * accepts anything gets the other one.
 * @param {string} accept @param {string} type @param {string} other
 */
exports.prefers = (accept, type, other) => {
  const wanted = qualityOf(accept, type) ?? 0
  // The most specific range that covers the other type decides.
  const ranges = [other, other.replace(/\/.*/, '/*'), '*/*']
  const instead = ranges.map((range) => qualityOf(accept, range)).find((quality) => quality !== null) ?? 0
  return wanted > 0 && wanted >= instead
}

/** 0 to 1, the highest if listed twice; null if unlisted. @param {string} accept @param {string} type or range */
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
