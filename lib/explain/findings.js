'use strict'

const { callbacksOf } = require('./callbacks')
const { merged, ofMost, weightOf, workIn } = require('./fold')
const { awaitingFrame, blame, generatedIn, leaf } = require('./frame')
const { withNames } = require('./named-record')
const { folderAtFault } = require('./package')
const { sharesOf, workOf } = require('./work')
const { roundMs } = require('../util/statistics')
const { STACKS_IN_RECORD } = require('../tables/samples')

/**
 * @typedef {import('../types').BlockRecord} BlockRecord
 * @typedef {import('../types').Frame} Frame
 * @typedef {import('./fold').Fold} Fold
 * @typedef {import('./fold').Stack} Stack
 * @typedef {import('./source/frame-table').FrameTable | undefined} Table may know more of the code by now
 */

/** What the samples of a block show. @param {Fold} fold @param {Table} table */
function see (fold, table) {
  const again = (/** @type {Frame} */ frame) => table?.again(frame) ?? frame
  const stacks = merged(fold.stacks.map((stack) =>
    ({ ...stack, frames: stack.frames.map(again), ...(stack.awaiting && { awaiting: stack.awaiting.map(again) }) })))
  const { work, request } = workIn(stacks)
  return {
    stacks,
    listed: stacks.filter(({ count }) => count > 0).slice(0, STACKS_IN_RECORD).map(stackRecord),
    blamed: blame(ofMost(stacks, stacks), (frame) => table?.passesOn(frame) === true, weightOf(stacks)),
    innermost: leaf(stacks),
    callbacks: callbacksOf(stacks, table),
    awaits: awaitingFrame(stacks),
    isFirst: fold.requests.top === null && work === null && request === null
  }
}

/**
 * What holds for any duration and cause.
 * @param {BlockRecord} record @param {Stack[]} stacks
 * @param {import('../types').RequestContext[]} others @param {Table} table
 */
function tell (record, stacks, others, table) {
  const passesOn = (/** @type {Frame} */ each) => table?.passesOn(each) === true
  const routesOf = (/** @type {Frame} */ each) => table?.routesOf(each) ?? []
  const name = (/** @type {BlockRecord} */ each) => table === undefined ? each : withNames(each, table)
  const { frame: blamed, leaf, stacks: listed, profile, origin, callbacks } = name(record)
  const known = { passesOn, routesOf, others }
  const running = workOf(stacks, record.frame, known)
  const shares = sharesOf(stacks, known, running, record.frame)
  return {
    name: blamed?.function ?? null,
    named: { leaf, stacks: listed, profile, origin, ...(callbacks && { callbacks }) },
    running,
    shares: shares?.map((each) => ({ ...each, frame: each.frame && (table?.named(each.frame) ?? each.frame) })),
    generated: generatedIn(stacks, record.frame) ?? generatedIn(record.profile?.stacks ?? [], record.frame),
    folder: folderAtFault(stacks, record.profile)
  }
}

/** @param {Stack} stack */
function stackRecord ({ count, weightMs, frames, awaiting = [] }) {
  return { count, weightMs: roundMs(weightMs), frames: [...frames, ...awaiting] }
}

exports.see = see
exports.tell = tell
