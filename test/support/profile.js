'use strict'

const { isNativeBlock } = require('../../lib/explain/parts')
const { withPlace } = require('../../lib/explain/place/located')
const { causeOfPart } = require('../../lib/tables/causes')

const FILE = '/srv/app/report.js'
const SOURCE = [
  'function load (text) {',
  '  const first = check(text)',
  '  return JSON.parse(text)',
  '}',
  'function seal (text) {',
  '  const salt = saltOf(text)',
  '  return pbkdf2Sync(text, salt, 1e6)',
  '}'
]

/**
 * A node of a profile: its function at a line of the source, else without a place.
 * @param {number} id
 * @param {string} functionName
 * @param {number | string | null} place
 * @param {number[]} [children]
 * @param {object} [more]
 */
const node = (id, functionName, place, children = [], more = {}) => ({
  id,
  callFrame: { functionName, scriptId: '1', url: typeof place === 'string' ? place : place === null ? '' : `file://${FILE}`, lineNumber: typeof place === 'number' ? place - 1 : -1, columnNumber: typeof place === 'number' ? 0 : -1 },
  children,
  hitCount: 0,
  ...more
})

/**
 * A profile with a sample every 10 ms from a time on.
 * @param {any[]} nodes
 * @param {number[]} samples
 * @param {number} [startMs]
 */
const makeWindow = (nodes, samples, startMs = 1000) => ({
  startMs,
  endMs: startMs + samples.length * 10,
  profile: {
    nodes: nodes.map((each) =>
      ({ ...each, hitCount: Math.max(each.hitCount, samples.filter((id) => id === each.id).length) })),
    startTime: startMs * 1000,
    endTime: (startMs + samples.length * 10) * 1000,
    samples,
    timeDeltas: samples.map(() => 10000)
  }
})

exports.FILE = FILE
exports.SOURCE = SOURCE
exports.makeWindow = makeWindow
exports.node = node

/** @typedef {import('../../lib/types').BlockRecord} BlockRecord */

/** All of the block is the part of its cause. @param {BlockRecord} record */
const partsOf = ({ cause, durationMs }) => /** @type {NonNullable<BlockRecord['parts']>} */ (Object.fromEntries(
  Object.entries(causeOfPart).map(([part, of]) => [part, of === cause ? durationMs : 0])))

/**
 * The record of a block with the place that its stacks and a profile show. Answers of a native block came late.
 * @param {import('../../lib/types').BlockRecord} record
 * @param {import('../../lib/explain/profile/samples').CpuProfile | null} profile @param {any} sources
 */
exports.placed = (record, profile, sources) => {
  const isLate = isNativeBlock(record)
  const answers = record.stacks.map((stack) => ({ ...stack, lateMs: isLate ? stack.weightMs : 0 }))
  return withPlace({ parts: partsOf(record), ...record }, answers, profile, sources).record
}
