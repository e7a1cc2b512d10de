'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { explain, openSources, unpackAll } = require('../../../scenarios/bakeoff/generated/facts')
const { readRecorded } = require('../../../scenarios/bakeoff/generated/recorded')
const { isNameless } = require('../../../lib/explain/source/frame-table')
const { toPath } = require('../../../lib/explain/source/source-map')
const { ownerOf } = require('../../../lib/util/code-owner')
const { STACKS_IN_RECORD } = require('../../../lib/tables/limits')

/**
 * @import { CpuProfile, ProfileNode } from '../../../lib/explain/profile/samples'
 * @import { Facts } from '../../../lib/explain/record'
 * @import { BlockRecord, Frame, StackRecord } from '../../../lib/types'
 */

/** A function without a name may have been given one. @param {Frame} shown @param {Frame} seen by V8 */
const isSameFunction = (shown, seen) =>
  shown.file === seen.file && (shown.function === seen.function || isNameless(seen.function))

/** @param {Frame} shown @param {Frame} seen */
const isSameFrame = (shown, seen) =>
  isSameFunction(shown, seen) && shown.line === seen.line && shown.column === seen.column

/** Without functions of the agent, and what they called of Node.js. @param {Frame[]} frames innermost first */
function withoutAgent (frames) {
  const at = frames.findIndex((frame) => frame.file !== null && ownerOf(frame) !== 'node')
  const isInAgent = at !== -1 && ownerOf(frames[at]) === 'own'
  return frames.slice(isInAgent ? at : 0).filter((frame) => ownerOf(frame) !== 'own')
}

/** The stacks of a record that are not the answers to interrupts. @param {BlockRecord} record @param {Facts} facts */
function changedStacks ({ stacks }, facts) {
  const all = facts.stacks.filter(({ count }) => count > 0)
    .map(({ frames, awaiting = [], count }) => ({ frames: [...withoutAgent(frames), ...awaiting], count }))
  const answers = [...new Map(all.map((each) => [JSON.stringify(each.frames), each])).values()].map(({ frames }) => {
    const equal = all.filter((each) => JSON.stringify(each.frames) === JSON.stringify(frames))
    return { frames, count: equal.reduce((sum, { count }) => sum + count, 0) }
  })
  const changed = stacks.filter(({ frames, count }) => {
    const equal = answers.filter((each) => each.frames.length === frames.length &&
      each.frames.every((frame, i) => isSameFrame(frames[i], frame)))
    return equal.reduce((sum, each) => sum + each.count, 0) !== count
  })
  return stacks.length === Math.min(answers.length, STACKS_IN_RECORD) ? changed : [...changed, 'too few']
}

/**
 * @typedef {object} Chain of functions that V8 sampled
 * @property {Frame[]} frames innermost first, each where it begins @property {number} count samples
 * @property {number} at index of the innermost frame with a file
 * @property {(number | null)[]} lines in which V8 counted the samples, and where that frame begins
 */

/** All but those of the agent. @param {CpuProfile} profile */
function chainsOf ({ nodes, samples }) {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const chains = [...new Set(samples)].map((id) => {
    const { positionTicks = [] } = /** @type {ProfileNode} */ (byId.get(id))
    const all = []
    for (let each = id; parents.has(each); each = Number(parents.get(each))) {
      all.push(frameOf(/** @type {ProfileNode} */ (byId.get(each))))
    }
    const isOwn = isAgent(all)
    // V8's name for native code that the agent's interrupt stopped (24.21).
    const isStopped = all[0]?.function === 'encodeInto' && all[0].file === null && !all[1]?.file?.startsWith('node:')
    if (isStopped) all.shift()
    const frames = isOwn ? all : withoutAgent(all)
    const at = frames.findIndex(({ file }) => file !== null)
    const lines = [frames[at]?.line ?? null, ...positionTicks.map(({ line }) => line)]
    return { frames, at, lines, isOwn, count: samples.filter((each) => each === id).length }
  })
  return chains.filter(({ isOwn }) => !isOwn)
}

/** @param {Frame[]} frames */
function isAgent (frames) {
  const caller = frames.find((frame) => frame.file !== null && ownerOf(frame) !== 'node')
  return caller !== undefined && ownerOf(caller) === 'own'
}

/** @param {ProfileNode} node @returns {Frame} */
function frameOf ({ callFrame: { functionName, url, lineNumber, columnNumber } }) {
  if (lineNumber < 0) return { function: functionName || null, file: url === '' ? null : toPath(url), line: null, column: null }
  const file = url === '' ? 'generated code' : toPath(url)
  return { function: functionName || null, file, line: lineNumber + 1, column: columnNumber + 1 }
}

/** @param {StackRecord} stack @param {Chain} chain */
const isChain = ({ frames }, chain) => frames.length === chain.frames.length && frames.every((frame, i) => {
  const seen = chain.frames[i]
  return i === chain.at ? isSameFunction(frame, seen) && chain.lines.includes(frame.line) : isSameFrame(frame, seen)
})

/** The stacks of a record's profile that V8 did not sample. @param {BlockRecord} record @param {Facts} facts */
function changedProfile ({ profile }, facts) {
  if (!profile || !facts.profile) return []
  const chains = chainsOf(facts.profile)
  const sum = (/** @type {{ count: number }[]} */ all) => all.reduce((total, { count }) => total + count, 0)
  const changed = profile.stacks.filter((stack) =>
    sum(chains.filter((chain) => isChain(stack, chain))) < stack.count)
  const isWhole = profile.stacks.length === STACKS_IN_RECORD || sum(profile.stacks) === sum(chains)
  return isWhole ? changed : [...changed, 'too few']
}

test('the evidence of a record is what V8 answered and sampled: no stack is changed', () => {
  const blocks = unpackAll(readRecorded(), (all) => all.map(({ facts }) => {
    const record = explain(facts, openSources())
    return { stacks: changedStacks(record, facts), profile: changedProfile(record, facts) }
  }))
  const changed = blocks.filter(({ stacks, profile }) => stacks.length + profile.length > 0)
  assert.equal(changed.length, 0, `${changed.length} of ${blocks.length}: ${JSON.stringify(changed[0], null, 1)}`)
  assert.ok(blocks.length > 0)
})
