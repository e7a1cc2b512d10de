'use strict'

const { ownerOf } = require('../util/code-owner')

/**
 * The frame of loopwatch in which a stack was, calls into Node.js included; null if other code ran. It says where
 * loopwatch was, not for how long: that is what the host measures. A function of the application that loopwatch calls,
 * as in agent.run(), belongs to the application.
 * @param {import('../types').Frame[]} frames innermost first
 */
exports.ownFrame = (frames) => {
  const first = frames.find((frame) => ownerOf(frame) !== 'node')
  return first !== undefined && ownerOf(first) === 'own' ? first : null
}
