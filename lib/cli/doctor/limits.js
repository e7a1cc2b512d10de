'use strict'

/**
 * What loopwatch cannot do on older versions of Node.js, and what to do about it. docs/understand/limits.md lists all.
 * @type {{ until: number, text: string, isElsewhere?: boolean }[]} until = the first major version without the limit;
 * isElsewhere = on Linux the kernel makes up for it
 */
const BY_VERSION = [
  { until: 24, text: "requests are followed from the first block on: the first one may have no request (requests: 'on' follows them always, at a cost)" },
  { until: 22, text: 'elsewhere than on Linux, CPU time of worker threads is not counted, and causes are unknown: use Node.js 22 or later', isElsewhere: true }
]

/** @param {string} node its version @param {string | null} platform null if unknown */
exports.limitsOf = (node, platform) => {
  const major = Number.parseInt(node, 10)
  return BY_VERSION.filter(({ until, isElsewhere }) => major < until && !(isElsewhere && platform === 'linux'))
    .map(({ text }) => `Node.js ${major}: ${text}`)
}
