'use strict'

const { causes } = require('../../tables/causes')
const { isNative } = require('../../explain/cause')

/**
 * Whether a CPU profile would have told more of a block: its stacks could only be taken when a native call had
 * returned, or there were none.
 * @param {import('../../types').BlockRecord} record
 */
exports.isProfileNeeded = ({ cause, durationMs, evidence, frame, startup }) => {
  if (causes[cause].excuse !== undefined || evidence.debugger || startup) return false
  return frame === null || !frame.exact || isNative({ ...evidence, durationMs })
}
