'use strict'

/**
 * What loopwatch cannot do on a line of Node.js, and what to do about it. docs/understand/limits.md has them all.
 * @type {{ until: number, text: string }[]} `until`: the first major version without it
 */
const BY_VERSION = [
  { until: 24, text: "requests are followed from the first block on: the first one may have no request (requests: 'on' follows them always, at a cost)" },
  { until: 22, text: 'CPU time of worker threads is not counted, and causes are unknown elsewhere than on Linux: use Node.js 22 or later' }
]

/** @param {string} node its version */
exports.limitsOf = (node) => {
  const major = Number.parseInt(node, 10)
  return BY_VERSION.filter(({ until }) => major < until).map(({ text }) => `Node.js ${major}: ${text}`)
}
