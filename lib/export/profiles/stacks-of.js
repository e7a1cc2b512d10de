'use strict'

/**
 * The stacks that agree with what a record says. Stacks that were taken when a native call had returned may be of the
 * code that ran next. Then those of its CPU profile count.
 * @param {Pick<import('../../types').BlockRecord, 'stacks' | 'frame' | 'profile'>} record
 */
exports.stacksOf = ({ stacks, frame, profile }) => {
  const isFrame = (/** @type {import('../../types').Frame} */ { file, function: name }) =>
    file === frame?.file && name === frame?.function
  const isThere = stacks.some(({ frames }) => frames.some(isFrame))
  return frame === null || isThere || !profile?.stacks.length ? stacks : profile.stacks
}
