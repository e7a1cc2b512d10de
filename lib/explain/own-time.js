'use strict'

const { ownerOf } = require('./frame')

/** The package that origin tracking runs, on our behalf. */
const BLOCKED_AT = /[\\/]node_modules[\\/]blocked-at[\\/]/

/**
 * @typedef {import('../types').Frame} Frame
 * @typedef {import('../types').BlockRecord} BlockRecord
 */

/** Whose frames are loopwatch's. @param {Frame} frame */
const isOwn = (frame) => ownerOf(frame) === 'own' || (frame.file !== null && BLOCKED_AT.test(frame.file))

/**
 * The frame of loopwatch that a stack was in, with what it called of Node.js; null where code of others ran. A function
 * of the application that loopwatch calls, as in agent.run(), is the application's.
 * @param {Frame[]} frames innermost first
 * @returns {Frame | null}
 */
function ownFrame (frames) {
  const first = frames.find((frame) => isOwn(frame) || ownerOf(frame) !== 'node')
  return first !== undefined && isOwn(first) ? first : null
}

/**
 * How much of a block was loopwatch's own time, and where: by its stacks or its CPU profile, whichever tells of more.
 * @param {{ weightMs: number, frames: Frame[] }[]} stacks all of the block
 * @param {BlockRecord['profile']} profile
 * @returns {{ ownMs: number, frame: Frame | null }}
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
  return byProfile.ownMs > bySamples.ownMs ? byProfile : bySamples
}

exports.ownTime = ownTime
