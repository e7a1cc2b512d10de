'use strict'

const { createMemory } = require('../../../lib/bridge/memory')

/** A memory of ours with another number in its stamp. @param {number} at 0: of the package, 1: of the layout */
function stamped (at) {
  const memory = createMemory()
  new Int32Array(memory)[at] += 1
  return memory
}

/** Memories of other versions of the package. */
exports.foreignMemories = {
  empty: () => new SharedArrayBuffer(0),
  smaller: () => new SharedArrayBuffer(64),
  'too short for its stamp, of ours': () => new SharedArrayBuffer(7),
  larger: () => new SharedArrayBuffer(createMemory().byteLength + 8),
  'as large and without a stamp': () => new SharedArrayBuffer(createMemory().byteLength),
  'as large and of something else': () => stamped(0),
  'as large and of another layout': () => stamped(1)
}
