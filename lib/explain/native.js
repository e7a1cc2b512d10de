'use strict'

/** Node's own modules whose synchronous functions spend their time in native code. */
const WRAPPERS = /^node:(internal\/)?(zlib|crypto|fs|child_process|v8|buffer|dns)\b/

/**
 * Whether a stack's innermost frame is Node's own wrapper around a native call, which answers
 * interrupts between two short native calls (zlib works through its input by chunks).
 * @param {import('../bridge/answer').Frame[]} frames innermost first
 */
exports.wrapsNative = (frames) => {
  const innermost = frames.find(({ file }) => file !== null)
  return innermost?.file != null && WRAPPERS.test(innermost.file)
}
