'use strict'

const { causeRow, excuseOf, othersIn, ownCauseOf, ownMsOf } = require('../tables/causes')

/** @import { BlockRecord, FrameRecord, WorkShare } from '../types' */

/** The least share of a culprit's time for a further line to be shown. */
const SHOWN_SHARE = 0.2
/** Most lines, and names of work, that are shown. */
const MOST = 3
/** Name of the time in which no request, job or message ran. */
const NO_WORK = 'no work'
/** Places of one line that are further apart are hardly of one function. */
const NEAR_COLUMNS = 200

/**
 * @typedef {{ profile?: { call: string | null } | null }} Called
 * @typedef {Pick<BlockRecord, 'work' | 'request' | 'works'>} Ran
 * @typedef {Pick<BlockRecord, 'id' | 'cause' | 'excused' | 'frame' | 'durationMs' | 'parts'> & Called & Ran & Part} Row
 * @typedef {{ isPart?: boolean }} Part whether the block is counted in another row
 * @typedef {(ran: WorkShare | Row, block: any) => string | null} NameOf of what ran in a block, null for none
 */

/**
 * Function and file, or the cause if no code is to blame. Line and cause depend on where samples fell, so they are left
 * out; a function without a name has its line. @param {Pick<Row, 'cause' | 'frame' | 'profile'>} row
 */
exports.keyOf = ({ cause, frame, profile }) => {
  if (excuseOf(cause) !== undefined) return JSON.stringify([cause])
  if (frame === null) return JSON.stringify([cause, profile?.call ?? null, null])
  return JSON.stringify([frame.function, frame.file, ...(frame.function === null ? [frame.line] : [])])
}

/**
 * Splits blocks into the shares of a function and of other causes: waits for a CPU belong to no function.
 * @template {Row} R @param {R[]} rows
 */
exports.sharesOf = (rows) => rows.flatMap((whole) => {
  const own = { ...whole, whole, isPart: false, cause: ownCauseOf(whole), durationMs: ownMsOf(whole) }
  const none = { ...own, isPart: true, frame: null, profile: null, excused: undefined }
  return [own, ...othersIn(whole).map(([cause, durationMs]) => ({ ...none, cause, durationMs }))]
})

/** Advice in a few words if no function is to blame, else null. @param {Row['cause']} cause */
exports.remedyOf = (cause) => {
  const { excuse, phrase, remedy } = causeRow(cause)
  return excuse === undefined ? null : `${phrase}: ${remedy}`
}

/**
 * Gives blocks at one line the name of its function, so that they are one culprit. Some blocks lack the name: sources
 * are read later, and a line of a CPU profile has no column that leads to the name.
 * @template {{ frame: FrameRecord | null }} R @param {R[]} rows @returns {R[]}
 */
exports.withSharedNames = (rows) => {
  const lineKey = (/** @type {FrameRecord} */ { file, line }) => `${file}\n${line}`
  const precisionOf = (/** @type {FrameRecord | undefined} */ frame) =>
    frame === undefined ? 0 : (frame.function === null ? 0 : 2) + (frame.column === null ? 0 : 1)
  /** @type {Map<string, FrameRecord>} */
  const best = new Map()
  /** Lines with several functions, as in a bundle. */
  const shared = new Set()
  for (const { frame } of rows) {
    if (frame === null) continue
    const other = best.get(lineKey(frame))
    if (other?.function && frame.function && other.function !== frame.function) shared.add(lineKey(frame))
    if (precisionOf(frame) > precisionOf(other)) best.set(lineKey(frame), frame)
  }
  return rows.map((row) => {
    const { frame } = row
    const named = frame?.function === null ? best.get(lineKey(frame)) : undefined
    if (!frame || !named || shared.has(lineKey(frame)) || isElsewhere(frame, named)) return row
    return { ...row, frame: { ...frame, function: named.function, column: frame.column ?? named.column } }
  })
}

/** Whether two places of one line are too far apart for one function. @param {FrameRecord} a @param {FrameRecord} b */
const isElsewhere = (a, b) => a.column !== null && b.column !== null && Math.abs(a.column - b.column) > NEAR_COLUMNS

/**
 * The works that ran the blamed function, each with its part of the block's time. One turn may run several jobs that
 * call one function. @param {Row} row @param {NameOf} nameOf @returns {[name: string, ms: number][]}
 */
function worksIn (row, nameOf) {
  const { works = [], frame, durationMs } = row
  const key = exports.keyOf(row)
  const own = works.filter((each) => frame === null || exports.keyOf({ ...row, frame: each.frame }) === key)
  const allMs = own.reduce((ms, { weightMs }) => ms + weightMs, 0)
  if (allMs === 0) return [[nameOf(row, row) || NO_WORK, durationMs]]
  return own.map((each) => [nameOf(each, row) || NO_WORK, durationMs * each.weightMs / allMs])
}

/** Names by the time they add up to, the longest first. @template T @param {[name: T, ms: number][]} times */
function heaviest (times, leastMs = 0) {
  /** @type {Map<T, number>} */
  const msOf = new Map()
  for (const [name, ms] of times) msOf.set(name, (msOf.get(name) ?? 0) + ms)
  return [...msOf].filter(([, ms]) => ms >= leastMs).sort(([, a], [, b]) => b - a).map(([name]) => name)
}

/**
 * Groups the shares of blocks by the function or cause to blame, the longest total first.
 * @template {Row} R @param {R[]} rows @param {NameOf} workOf
 */
exports.groupByCulprit = (rows, workOf) => {
  /** @type {Map<string, ReturnType<typeof exports.sharesOf<R>>>} */
  const groups = new Map()
  for (const share of exports.sharesOf(rows)) {
    const key = exports.keyOf(share)
    const group = groups.get(key)
    if (group) group.push(share)
    else groups.set(key, [share])
  }
  return [...groups].map(([key, shares]) => ({ key, shares, ...culpritOf(shares, workOf) }))
    .sort((a, b) => b.totalMs - a.totalMs)
}

/** @param {Row[]} shares @param {NameOf} workOf */
function culpritOf (shares, workOf) {
  const totalMs = shares.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const longest = shares.reduce((most, share) => share.durationMs > most.durationMs ? share : most)
  /** Frames by line. A certain frame replaces an uncertain one. @type {Map<number | null, FrameRecord>} */
  const frames = new Map()
  /** @type {[line: number | null, ms: number][]} */
  const lineTimes = []
  for (const { frame, cause, durationMs } of shares) {
    if (frame === null || excuseOf(cause) !== undefined) continue
    if (!frames.get(frame.line)?.exact) frames.set(frame.line, frame)
    lineTimes.push([frame.line, durationMs])
  }
  return {
    count: shares.filter(({ isPart }) => !isPart).length,
    totalMs,
    longestMs: longest.durationMs,
    longestId: longest.id,
    cause: heaviest(shares.map(({ cause, durationMs }) => [cause, durationMs]))[0],
    frame: frames.get(heaviest(lineTimes)[0]) ?? null,
    otherLines: heaviest(lineTimes, SHOWN_SHARE * totalMs).slice(1, MOST).filter((line) => frames.get(line)?.exact),
    work: workText(heaviest(shares.flatMap((share) => worksIn(share, workOf))))
  }
}

/** All works: naming one of many would blame the wrong job. Empty without any. @param {string[]} all heaviest first */
function workText (all) {
  // A name without ≈ stands for the same one with it.
  const names = all.filter((name) =>
    name !== NO_WORK && !(name.includes('≈') && all.includes(name.replaceAll('≈ ', ''))))
  if (names.length === 0) return ''
  const more = names.length > MOST ? ` and ${names.length - MOST} more` : ''
  return `${names.slice(0, MOST).join(', ')}${more}${all.includes(NO_WORK) ? `, ${NO_WORK}` : ''}`
}

exports.NO_WORK = NO_WORK
