'use strict'

/**
 * The stacks that agree with what a record says. Those that were taken when a native call had returned may be of what ran
 * next; the ones of its CPU profile then tell.
 * @param {Pick<import('../../types').BlockRecord, 'stacks' | 'frame' | 'profile'>} record
 */
exports.stacksOf = ({ stacks, frame, profile }) => {
  const isThere = stacks.some(({ frames }) => frames.some((each) => each.file === frame?.file && each.function === frame?.function))
  return frame === null || isThere || !profile?.stacks.length ? stacks : profile.stacks
}
