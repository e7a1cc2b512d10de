'use strict'

const { blamedFrame, isSame } = require('./frame')
const { workIn } = require('./fold')


/**
 * @typedef {import('../types').Frame} Frame
 * @typedef {import('./fold').Stack} Stack
 * @typedef {import('./frame').PassesOn} PassesOn
 */

/**
 * The work to which a block belongs: that in which its blamed function was seen. Line and work come from the same
 * samples, since a turn of the loop may run callbacks of several.
 * @param {Stack[]} stacks all of the block
 * @param {Frame | null} frame the blamed one
 * @param {PassesOn} [passesOn]
 * @returns {ReturnType<typeof workIn> & { exact: boolean }} `exact` is false where no sample shows the function, or
 * most of those that do are of works with other names
 */
exports.workOf = (stacks, frame, passesOn) => {
  const own = frame === null ? stacks : stacksOf(stacks, frame, passesOn)
  const told = workIn(own.length > 0 ? own : stacks)
  const seen = (own.length > 0 ? own : stacks).flatMap(({ works }) => works)
  const weightOf = (/** @type {typeof seen} */ some) => some.reduce((total, { weightMs }) => total + weightMs, 0)
  const isMost = weightOf(seen.filter((each) => nameOf(each) === nameOf(told))) * 2 >= weightOf(seen)
  return { ...told, exact: own.length > 0 && isMost }
}

/**
 * Stacks in which a function is to blame; where there is none, those that it is in.
 * @param {Stack[]} stacks
 * @param {Frame} frame
 * @param {PassesOn} [passesOn]
 */
function stacksOf (stacks, frame, passesOn) {
  const blamed = stacks.filter(({ frames }) => isSame(blamedFrame(frames, passesOn), frame))
  return blamed.length > 0 ? blamed : stacks.filter(({ frames }) => frames.some((each) => isSame(each, frame)))
}

/** @param {ReturnType<typeof workIn>} of */
const nameOf = ({ work, request }) => work?.name ?? (request === null ? '' : `${request.method} ${request.route}`)
