import { growthIn } from '../../../../util/growth.js'
import { groupByCulprit, remedyOf } from '../../../culprits.js'
import { placeOf, workOf, wordsOf } from './labels.mjs'

/** Bars of a sparkline. */
export const BINS = 24

/**
 * @typedef {object} CulpritRow blocks of one function in a file
 * @property {string} key
 * @property {string} place
 * @property {string} work
 * @property {string} cause
 * @property {string} words
 * @property {any} frame the line with most of the time
 * @property {number} count of blocks, each in one row
 * @property {string} growth with the size of the input, empty if it is unknown
 * @property {number} totalMs
 * @property {number} share of the time of all culprits, 0 to 1
 * @property {number} longestMs
 * @property {number} waited number of requests that waited for blocks that are counted here
 * @property {number} lastMs when the last one ended, Unix time
 * @property {number[]} bins blocked ms in each part of the range
 */

/** @param {any} row @returns {number} Unix time in ms */
export const endOf = ({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs

/**
 * Blocks added up by function and file, the longest in total first.
 * @param {any[]} rows
 * @param {{ fromMs: number, toMs: number }} range
 * @param {(id: string) => number} waitedFor number of requests that waited for a block
 * @returns {CulpritRow[]}
 */
export function culpritsOf (rows, { fromMs, toMs }, waitedFor) {
  const culprits = groupByCulprit(rows, workOf)
  const allMs = culprits.reduce((sum, { totalMs }) => sum + totalMs, 0)
  const binMs = Math.max(1, toMs - fromMs) / BINS
  return culprits.map(({ shares, otherLines, longestId, ...culprit }) => {
    const { frame, cause, totalMs } = culprit
    const bins = new Array(BINS).fill(0)
    for (const { startedAt, durationMs } of shares) {
      const bin = Math.floor((Date.parse(startedAt) - fromMs) / binMs)
      bins[Math.min(BINS - 1, Math.max(0, bin))] += durationMs
    }
    return {
      ...culprit,
      place: [placeOf({ ...shares[0], frame, cause }), ...otherLines].join(', '),
      words: remedyOf(cause) ?? wordsOf(cause),
      growth: frame === null ? '' : growthIn(shares.toReversed()),
      share: allMs === 0 ? 0 : totalMs / allMs,
      waited: shares.reduce((sum, { id, isPart }) => sum + (isPart ? 0 : waitedFor(id)), 0),
      lastMs: Math.max(...shares.map(({ whole }) => endOf(whole))),
      bins
    }
  })
}

/** Columns that the table can be sorted by. */
export const COLUMNS = ['place', 'work', 'words', 'count', 'totalMs', 'longestMs', 'waited', 'lastMs']

/** @param {CulpritRow[]} culprits @param {string} column @param {boolean} descends */
export function sorted (culprits, column, descends) {
  const sign = descends ? -1 : 1
  const compare = (/** @type {any} */ a, /** @type {any} */ b) => typeof a === 'string' ? a.localeCompare(b) : a - b
  return culprits.toSorted((/** @type {any} */ a, /** @type {any} */ b) =>
    sign * compare(a[column], b[column]) || b.totalMs - a.totalMs)
}

/**
 * Worker threads by name, the busiest first: how busy they are now, and their blocks, which have no share.
 * @param {any[]} rows @param {{ name: string, count: number, utilization: number }[]} living
 * @param {{ fromMs: number, toMs: number }} range
 */
export function threadsOf (rows, living, range) {
  const own = rows.filter(({ threadId }) => threadId > 0)
  const names = new Set([...living, ...own].map(({ name, thread }) => name ?? thread))
  return [...names].map((name) => {
    const blocks = own.filter(({ thread }) => thread === name)
    const culprits = culpritsOf(blocks, range, () => 0)
    // Few blocks have a profile, and so a place.
    const { place, words } = culprits.find(({ frame }) => frame !== null) ?? culprits[0] ?? { place: '–', words: '–' }
    const { count = 0, utilization = null } = living.find((each) => each.name === name) ?? {}
    const longestMs = Math.max(0, ...blocks.map(({ durationMs }) => durationMs))
    return { name: count > 1 ? `${name} (${count})` : name, utilization, place, words, count: blocks.length, longestMs }
  }).sort((a, b) => (b.utilization ?? 0) - (a.utilization ?? 0) || b.longestMs - a.longestMs)
}

/**
 * Routes that waited, over many blocks: how often, how long at most, and because of which work or place most often.
 * @param {any[]} rows
 * @param {(id: string) => { name: string, count: number, longestMs: number }[]} routesOf routes that waited for a block
 */
export function victimsOf (rows, routesOf) {
  /** @type {Map<string, { name: string, count: number, longestMs: number, by: Map<string, number> }>} */
  const victims = new Map()
  for (const row of rows) {
    for (const { name, count, longestMs } of routesOf(row.id)) {
      const victim = victims.get(name) ?? { name, count: 0, longestMs: 0, by: new Map() }
      victim.count += count
      victim.longestMs = Math.max(victim.longestMs, longestMs)
      const culprit = workOf(row) || placeOf(row)
      victim.by.set(culprit, (victim.by.get(culprit) ?? 0) + count)
      victims.set(name, victim)
    }
  }
  return [...victims.values()].sort((a, b) => b.longestMs - a.longestMs)
    .map(({ by, ...victim }) => ({ ...victim, because: [...by].sort(([, a], [, b]) => b - a)[0][0] }))
}
