'use strict'

const { ownerOf, packageNameOf } = require('../util/code-owner')

/** @typedef {import('../types').Frame} Frame */
/** @typedef {import('../types').BlockRecord} BlockRecord */

/** Origin tracking runs blocked-at, so its time is loopwatch's. @param {Frame} frame */
const isOwn = (frame) => ownerOf(frame) === 'own' || packageNameOf(frame.file ?? '') === 'blocked-at'

/**
 * The frame of loopwatch in which a stack was, calls into Node.js included; null if other code ran. A function of the
 * application that loopwatch calls, as in agent.run(), belongs to the application.
 * @param {Frame[]} frames innermost first
 */
function ownFrame (frames) {
  const first = frames.find((frame) => isOwn(frame) || ownerOf(frame) !== 'node')
  return first !== undefined && isOwn(first) ? first : null
}

/**
 * @param {{ count?: number, weightMs: number, frames: Frame[] }[]} stacks all of the block
 * @param {BlockRecord['profile']} profile
 */
function ownTime (stacks, profile) {
  const [bySamples, byProfile] = [stacks, profile?.stacks ?? []].map((some) => {
    const own = some.flatMap(({ weightMs, frames }) => {
      const frame = ownFrame(frames)
      return frame === null ? [] : [{ weightMs, frame }]
    })
    const ownMs = own.reduce((sum, { weightMs }) => sum + weightMs, 0)
    const [heaviest] = own.sort((a, b) => b.weightMs - a.weightMs)
    return { ownMs, frame: heaviest?.frame ?? null }
  })
  // The only answer may have met the agent as it went on after the block.
  const isElsewhere = stacks.length === 1 && stacks[0].count === 1 && hasApplication(profile)
  return isElsewhere || byProfile.ownMs > bySamples.ownMs ? byProfile : bySamples
}

/** @param {BlockRecord['profile']} profile */
const hasApplication = (profile) =>
  (profile?.stacks ?? []).some(({ frames }) => frames.some((frame) => !isOwn(frame) && ownerOf(frame) !== 'node'))

exports.ownTime = ownTime
