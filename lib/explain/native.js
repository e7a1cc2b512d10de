'use strict'

const { originOf } = require('./frame')

/** Node's own modules whose synchronous functions spend their time in native code. */
const WRAPPERS = /^node:(internal\/)?(zlib|crypto|fs|child_process|v8|buffer|dns)\b/
/** Starting a process is a native call, and what Node.js does about it once it is there answers. */
const STARTING = /^node:(internal\/)?child_process$/

/**
 * JSON.stringify looks for interrupts at each value, unlike other built-ins that take long: it answers in time
 * (seen on Node 20, 22 and 24; on 26 the answer came when it had returned).
 * Built-ins have neither file nor line; what new Function() made has a line.
 * @param {import('../types').Frame} frame
 */
const isStringify = ({ file, line, function: name }) => file === null && line === null && name === 'stringify'

/**
 * Whether a stack ends in Node's own wrapper around a native call, which answers interrupts between two
 * short native calls (zlib works through its input by chunks), or in a built-in that answers from within.
 * @param {import('../types').Frame[]} frames innermost first
 */
exports.wrapsNative = (frames) => {
  if (frames.length > 0 && isStringify(frames[0])) return true
  const foreign = frames.findIndex((frame) => originOf(frame) !== 'node')
  const [innermost, ...callers] = frames.slice(0, foreign === -1 ? frames.length : foreign).flatMap(({ file }) => file ?? [])
  return innermost !== undefined && (WRAPPERS.test(innermost) || callers.some((file) => STARTING.test(file)))
}
