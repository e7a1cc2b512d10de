'use strict'

const { getHeapCodeStatistics, getHeapSpaceStatistics } = require('node:v8')

const MB = 1024 * 1024
/**
 * To start, V8's profiler walks the whole heap and lists each function. Fitted to the CPU time of starts in heaps of 4
 * to 730 MB, of rows, of compiled functions, and of large packages at work (20.20, 22.23, 24.21, 26.10: the slowest of
 * the four). A start takes 5 to 15 ms less than this says.
 */
const MS_PER_MB = { heap: 0.7, bytecode: 5, code: 10 }

/** Upper bound, ms. 1 MB of rows takes 0.5 to 0.7. @param {{ heap: number, bytecode: number, code: number }} bytes */
exports.startCostMs = ({ heap, bytecode, code }) =>
  (heap * MS_PER_MB.heap + bytecode * MS_PER_MB.bytecode + code * MS_PER_MB.code) / MB

exports.startCostNowMs = () => {
  const { bytecode_and_metadata_size: bytecode, code_and_metadata_size: code } = getHeapCodeStatistics()
  return exports.startCostMs({ heap: walkedBytes(), bytecode, code })
}

/** A large object is one step of the walk, whatever its size: a string of 150 MB takes nothing. */
function walkedBytes () {
  const spaces = getHeapSpaceStatistics().filter(({ space_name: name }) => !name.includes('large_object'))
  return spaces.reduce((sum, { space_used_size: used }) => sum + used, 0)
}
