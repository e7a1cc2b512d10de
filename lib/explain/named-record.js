'use strict'

const { ownerOf } = require('../util/code-owner')

/** @typedef {import('../types').BlockRecord} BlockRecord */
/** @typedef {import('../types').Frame} Frame */
/** @typedef {import('../types').StackRecord} StackRecord */

/** @param {BlockRecord} record @param {import('./source/frame-table').FrameTable} table @returns {BlockRecord} */
function withNames (record, table) {
  const { frame, leaf, stacks, profile, origin, callbacks } = record
  /** @template {Frame} F @param {F} each */
  const name = (each) => ownerOf(each) === 'application' ? table.named(each) : each
  const inStack = (/** @type {StackRecord} */ stack) => ({ ...stack, frames: stack.frames.map(name) })
  return {
    ...record,
    frame: frame && { ...frame, function: table.named(sampledAt(frame, stacks)).function },
    leaf: leaf && name(leaf),
    stacks: stacks.map(inStack),
    profile: profile && { ...profile, stacks: profile.stacks.map(inStack) },
    ...(callbacks && { callbacks: callbacks.map((each) => ({ ...each, frame: name(each.frame) })) }),
    origin: origin && { ...origin, frame: table.named(origin.frame), frames: origin.frames.map(name) }
  }
}

/** It has a column; a line of a CPU profile has none. @param {Frame} frame @param {StackRecord[]} stacks */
function sampledAt (frame, stacks) {
  if (frame.function !== null) return frame
  const isThere = (/** @type {Frame} */ { function: name, file, line }) =>
    name === null && file === frame.file && line === frame.line
  return stacks.flatMap(({ frames }) => frames).find(isThere) ?? frame
}

exports.withNames = withNames
