'use strict'

const { duration } = require('../../export/log/sentence')
const { filterOf, timeOf } = require('../blocks/filter')
const { culpritsOf } = require('../blocks/top')
const { isBlamed, summary } = require('./answers')
const { plain } = require('./text')

const CULPRITS = 12
const MS_PER_MIN = 60_000
/** A difference within so many standard errors of two counts happens one time in twenty by chance. */
const ERRORS = 2

/** @typedef {import('../../types').BlockRecord} BlockRecord */
/** @typedef {ReturnType<typeof culpritsOf>[number]} Culprit */
/** @typedef {{ count: number, totalMs: number, longestMs: number, minutes: number }} Side */

/**
 * Whether blocks became more or fewer, as far as their numbers can tell.
 * @param {Pick<Side, 'count' | 'minutes'>} before
 * @param {Pick<Side, 'count' | 'minutes'>} after
 */
exports.trendOf = (before, after) => {
  const difference = after.count / after.minutes - before.count / before.minutes
  const error = Math.sqrt(after.count / after.minutes ** 2 + before.count / before.minutes ** 2)
  if (Math.abs(difference) <= ERRORS * error) return 'no difference that matters'
  return difference > 0 ? 'more' : 'fewer'
}

/** @param {Side} side */
const rateOf = ({ count, totalMs, minutes }) => `${(count / minutes).toFixed(1)} blocks and ${duration(totalMs / minutes)} a minute`

/** @param {BlockRecord[]} records @param {number} minutes */
function sidesOf (records, minutes) {
  const culprits = culpritsOf(records).map((each) => /** @type {const} */ ([`${each.place}\n${each.work}\n${each.cause}`, { ...each, minutes }]))
  return new Map(culprits)
}

/** @param {string} name @param {string} [since] @param {string} [until] */
function rangeOf (name, since, until) {
  const fromMs = timeOf(`${name} since`, since ?? '')
  const toMs = until === undefined ? Date.now() : timeOf(`${name} until`, until)
  return { since: fromMs, until: toMs, minutes: Math.max(1, toMs - fromMs) / MS_PER_MIN }
}

/**
 * Two ranges of time, culprit by culprit.
 * @param {import('./source').Source} source
 * @param {Record<string, any>} args
 * @returns {Promise<import('./text').Answer>}
 */
exports.compare = async (source, { baselineSince, baselineUntil, since, until }) => {
  const ranges = [rangeOf('baseline', baselineSince, baselineUntil), rangeOf('range', since, until)]
  const records = await source.records()
  const [before, after] = ranges.map((range) => ({ ...range, records: records.filter(isBlamed).filter(filterOf(range)) }))
  const [old, recent] = [before, after].map(({ records, minutes }) => sidesOf(records, minutes))
  const rows = [...new Set([...old.keys(), ...recent.keys()])].map((key) => {
    const side = /** @type {Culprit} */ (recent.get(key) ?? old.get(key))
    const none = { count: 0, totalMs: 0, longestMs: 0 }
    const [a, b] = [{ ...none, ...old.get(key), minutes: before.minutes }, { ...none, ...recent.get(key), minutes: after.minutes }]
    const text = `${plain(side.place)} | ${plain(side.work)} | ${plain(side.cause)} | ${rateOf(a)} before, ${rateOf(b)} after: ${exports.trendOf(a, b)} | longest ${duration(a.longestMs)} before, ${duration(b.longestMs)} after | block id=${side.longestId}`
    return { text, weight: Math.abs(a.totalMs / a.minutes - b.totalMs / b.minutes) }
  }).sort((a, b) => b.weight - a.weight)
  const oldest = records[0]?.startedAt
  const isForgotten = oldest !== undefined && before.since < Date.parse(oldest)
  return {
    head: [
      ...[before, after].map((each, i) => `${i === 0 ? 'Baseline' : 'Range'}, ${each.minutes.toFixed(1)} min: ${summary(each.records)}.`),
      `The number of blocks: ${exports.trendOf(...counts(before, after))}. Starved and suspended ones are left out.`,
      ...(isForgotten ? [`The oldest block that is known began at ${oldest}. Earlier ones may be forgotten, so the baseline may lack some.`] : [])
    ],
    rows: rows.slice(0, CULPRITS).map(({ text }) => text),
    left: Math.max(0, rows.length - CULPRITS),
    rest: (left) => `${left} more culprits changed less and are not shown.`,
    tail: ['Next: block with an id.']
  }
}

/** @param {{ records: BlockRecord[], minutes: number }[]} ranges @returns {[Side, Side]} */
const counts = (...ranges) => /** @type {any} */ (ranges.map(({ records, minutes }) => ({ count: records.length, minutes })))
