'use strict'

exports.MS_PER_S = 1000
exports.MS_PER_MINUTE = 60_000
exports.MS_PER_HOUR = 3_600_000
exports.US_PER_MS = 1000
exports.NS_PER_MS = 1e6
/** USER_HZ, the unit of times in /proc/stat and /proc/<pid>/stat, is 100 on every Linux that runs Node.js. */
exports.MS_PER_TICK = 10
exports.BYTES_PER_MB = 1024 * 1024

/** @param {number} ms */
exports.duration = (ms) =>
  ms >= exports.MS_PER_S ? `${(ms / exports.MS_PER_S).toFixed(1)} s` : `${Math.round(ms)} ms`
