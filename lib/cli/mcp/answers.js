'use strict'

const { causes, isExcused } = require('../../tables/causes')
const { codedError } = require('../../tables/errors')
const { adviceOn } = require('../docs')
const { frameText } = require('../../util/place-text')
const { counted, duration, sentenceOf } = require('../../util/sentence')
const { conclusionIn, shownStacks } = require('../../util/shown-stacks')
const { filterOf } = require('../blocks/blocks')
const { timeOf } = require('../common/flags')
const { ADVISED, culpritsOf } = require('../blocks/top')
const { besideBlocks } = require('./beside-blocks')
const { flameRows } = require('./flame-rows')
const { plain } = require('./text')
const { MS_PER_MINUTE } = require('../../util/units')

/**
 * @import { BlockRecord } from '../../types'
 * @import { Detail, Source } from './source'
 * @import { Answer } from './text'
 */

const RECENT_MIN = 10
const FRAMES = 10
/** Longest sentence, with several names in it, and longest line of source or stack. */
const SENTENCE_CHARS = 360
const LINE_CHARS = 200
/** Standard errors by which two counts differ one time in twenty by chance. */
const STANDARD_ERRORS = 2

/** @typedef {Record<string, any>} Args what the tool's schema has let through */
/** @typedef {(source: Source, args: Args) => Promise<Answer>} Tool */

/** Whether a line of code may be to blame. @param {Pick<BlockRecord, 'cause' | 'excused'>} record */
const isBlamed = (record) => !isExcused(record)

/** Whether a block is of the main thread: a worker thread exists to compute. @param {BlockRecord} record */
const isOfMain = (record) => !record.threadId

/** @param {BlockRecord[]} records */
function summary (records) {
  const excused = records.length - records.filter(isBlamed).length
  const total = duration(records.reduce((sum, { durationMs }) => sum + durationMs, 0))
  return `${counted(records.length, 'block')}, ${total} in ` +
    `all${excused === 0 ? '' : ` (${excused} of them not caused by code: starved or suspended)`}`
}

/** @param {number} share */
const percent = (share) => `${Math.round(100 * share)}%`

/** @param {Args} args @param {string} name */
const timeIn = (args, name) => args[name] === undefined ? undefined : timeOf(name, args[name])

/** @param {Args} args */
const withTimes = (args) => ({ ...args, since: timeIn(args, 'since'), until: timeIn(args, 'until') })

/** @param {BlockRecord} record */
const rowOf = (record) => `block id=${record.id} ${record.startedAt} ${plain(sentenceOf(record), SENTENCE_CHARS)}`

/** @param {{ place: string, work: string, cause: string }} culprit */
const nameOf = ({ place, work, cause }) => [place, work, cause].map((name) => plain(name)).join(' | ')

/** @param {Source} source @param {number} ongoing */
const statusOnDisk = ({ recordedAt }, ongoing) => recordedAt === undefined
  ? `This is a folder, which has no live status. Blocks whose end was never written: ${ongoing}.`
  : `This is a recording of ${recordedAt}. Event loops that were blocked then: ${ongoing || 'none'}.`

/** @type {Tool} */
exports.status = async (source) => {
  const records = await source.records()
  const ongoing = records.filter((record) => record.ongoing)
  const nowMs = source.recordedAt === undefined ? Date.now() : Date.parse(source.recordedAt)
  const recent = records.filter(filterOf({ since: nowMs - RECENT_MIN * MS_PER_MINUTE }))
  const metrics = await source.metrics?.()
  return {
    head: [
      source.isLive
        ? `Event loops that are blocked now: ${ongoing.length || 'none'}.`
        : statusOnDisk(source, ongoing.length),
      `Last ${RECENT_MIN} minutes: ${summary(recent)}.`,
      `Known: ${summary(records)}${records.length === 0 ? '' : `, the first at ${records[0].startedAt}`}.`,
      ...(metrics === undefined ? [] : besideBlocks(metrics))
    ],
    rows: ongoing.map(rowOf)
  }
}

/** @type {Tool} */
exports.culprits = async (source, { limit = 10, ...args }) => {
  const records = (await source.records()).filter(filterOf(withTimes(args)))
  const all = culpritsOf(records.filter(isOfMain))
  const allMs = all.reduce((sum, { totalMs }) => sum + totalMs, 0)
  const rows = all.slice(0, limit).map((each) =>
    `${nameOf(each)} | ${counted(each.count, 'block')}, ${duration(each.totalMs)} in all ` +
      `(${percent(each.totalMs / allMs)}) | longest ${duration(each.longestMs)}: block id=${each.longestId}` +
      `${each.growth && ` | ${each.growth}`}`)
  return {
    head: [`${summary(records)}; one row per function and file, longest in total first. Time that no code took ` +
      '(waiting for a CPU, stopped) has its own rows.'],
    rows,
    left: all.length - rows.length
  }
}

/** @type {Tool} */
exports.blocks = async (source, { order, limit = 20, offset = 0, ...args }) => {
  const records = (await source.records()).filter(filterOf(withTimes(args))).reverse()
  if (order === 'longest') records.sort((a, b) => b.durationMs - a.durationMs)
  const rows = records.slice(offset, offset + limit).map(rowOf)
  return { head: [`${summary(records)}.`], rows, left: Math.max(0, records.length - offset - rows.length), offset }
}

/** @param {Source} source @param {string[]} ids @returns {Promise<Detail[]>} */
async function detailsOf (source, ids) {
  const records = await source.records()
  const chosen = ids.flatMap((id) => records.findLast((each) => each.id === id) ?? [])
  return Promise.all(chosen.map((record) => source.detail(record, records)))
}

/** @param {Source} source @param {string} id */
async function oneDetail (source, id) {
  const [detail] = await detailsOf(source, [id])
  if (detail !== undefined) return detail
  throw codedError('LOOPWATCH_ERR_SOURCE', `block ${id}`, 'no block with this id is in memory: call culprits or blocks')
}

/** @type {Tool} */
exports.block = async (source, { id }) => {
  const detail = await oneDetail(source, id)
  const { block, source: excerpt, waits } = detail
  const evidence = Object.entries(block.evidence).filter(([, value]) => Number(value) > 0)
  return {
    head: excerpt === null ? ['The source is unavailable or switched off.'] : [],
    rows: [
      rowOf(block),
      ...(block.frame === null ? [] : [`at ${plain(frameText(block.frame), SENTENCE_CHARS)}`]),
      ...sourceRows(excerpt),
      ...adviceRows(detail),
      ...(waits?.requests
        ? [`${waits.requests} requests waited, at most ${duration(waits.longestMs)}: ` +
        `${waits.routes.map(({ name }) => name).join(', ')}`]
        : []),
      `evidence: ${evidence.map((pair) => pair.join(' ')).join(', ')}`,
      ...stackRows(block)
    ],
    tail: Object.entries(causes).filter(([name]) => name === block.cause)
      .map(([name, { meaning }]) => `${name}: ${meaning}.`)
  }
}

/** @param {Detail['block']} block */
function stackRows (block) {
  const { stacks, isProfiled } = shownStacks(block)
  const rows = stacks[0]?.frames.slice(0, FRAMES).map(frameText) ?? []
  const mark = conclusionIn(rows, block.frame)
  const head = isProfiled ? 'stack of the CPU profile: ' : 'stack: '
  return rows.map((row, i) =>
    `${i === 0 ? head : '  from '}${plain(row, LINE_CHARS)}${mark?.at === i ? `, ${mark.text}` : ''}`)
}

/** @param {Detail['source']} excerpt */
const sourceRows = (excerpt) => excerpt?.lines.map(({ line, text, share }) =>
  `${line === excerpt.line ? '>' : ' '} ${line} | ` +
    `${share > 0 ? `${percent(share)} of samples | ` : ''}${plain(text, LINE_CHARS)}`) ?? []

/** @param {Detail} detail */
const adviceRows = ({ advice }) =>
  advice.length === 0 ? ['no specific advice'] : advice.map(({ text }) => `advice: ${text}`)

/** From the documents, for every block of these causes. @param {string[]} names */
const adviceByCause = (names) => [...new Set(names)].filter((name) => Object.hasOwn(causes, name)).flatMap((name) => {
  const advice = adviceOn(name)
  return advice === null ? [] : [`For every block whose cause is ${name}: ${advice.about}`, advice.toDo]
})

/** For the longest block of each of the first culprits. @param {Source} source */
async function detailsOfCulprits (source) {
  const culprits = culpritsOf((await source.records()).filter(isOfMain)).filter(isBlamed)
  return detailsOf(source, culprits.slice(0, ADVISED).map(({ longestId }) => longestId))
}

/** @type {Tool} */
exports.advice = async (source, { id }) => {
  const details = id === undefined ? await detailsOfCulprits(source) : [await oneDetail(source, id)]
  return {
    head: details.length === 0 ? ['No code is to blame for a block.'] : [],
    rows: details.flatMap((detail) => [rowOf(detail.block), ...adviceRows(detail)]),
    tail: adviceByCause(details.filter(({ advice }) => advice.length === 0).map(({ block }) => block.cause))
  }
}

/** @type {Tool} */
exports.flame = async (source, { top = 20, ...args }) => {
  const { since, until, ...exact } = withTimes(args)
  const query = new URLSearchParams(exact)
  if (since !== undefined) query.set('from', `${since}`)
  if (until !== undefined) query.set('to', `${until}`)
  const tree = await source.flame(query)
  return {
    head: [`${duration(tree.value)} of blocked time by function of the application, each below its caller.`],
    ...flameRows(tree, top)
  }
}

/** @type {Tool} */
exports.compare = async (source, args) => {
  const records = await source.records()
  const since = timeIn(args, 'since') ?? 0
  const until = timeIn(args, 'until') ?? Date.now()
  const baselineUntil = timeIn(args, 'baselineUntil') ?? since
  const baselineSince = timeIn(args, 'baselineSince') ?? baselineUntil - (until - since)
  /** @param {number} from @param {number} to @param {string} begin @param {string} end */
  const inRange = (from, to, begin, end) => {
    if (to <= from) throw codedError('LOOPWATCH_ERR_OPTION', end, `a time after ${begin}`, args[end])
    return { minutes: (to - from) / MS_PER_MINUTE, records: records.filter(filterOf({ since: from, until: to })) }
  }
  const after = inRange(since, until, 'since', 'until')
  const before = inRange(baselineSince, baselineUntil, 'baselineSince', 'baselineUntil')
  const [old, recent] = [before, after].map(({ records }) =>
    new Map(culpritsOf(records.filter(isOfMain)).map((each) => /** @type {const} */ ([each.key, each]))))
  const rows = [...new Map([...old, ...recent])].map(([key, culprit]) => {
    const a = rateOf(before.minutes, old.get(key))
    const b = rateOf(after.minutes, recent.get(key))
    return {
      changeMs: Math.abs(a.ms - b.ms),
      row: `${nameOf(culprit)} | a minute: ${a.text} before, ${b.text} after, ${trendOf(a, b)} | block ` +
        `id=${culprit.longestId}`
    }
  })
  return {
    head: [
      `Before (${before.minutes.toFixed(1)} min): ${summary(before.records)}. After (${after.minutes.toFixed(1)} ` +
        `min): ${summary(after.records)}.`,
      `The first known block began at ${records[0]?.startedAt ?? '-'}; earlier ones may have been dropped.`
    ],
    rows: rows.sort((a, b) => b.changeMs - a.changeMs).map(({ row }) => row)
  }
}

/** @param {number} minutes @param {{ count: number, totalMs: number }} [culprit] none if it did not block */
function rateOf (minutes, { count, totalMs } = { count: 0, totalMs: 0 }) {
  const ms = totalMs / minutes
  return { count, minutes, ms, text: `${(count / minutes).toFixed(1)} blocks, ${duration(ms)}` }
}

/** @param {{ count: number, minutes: number }} before @param {{ count: number, minutes: number }} after */
function trendOf (before, after) {
  const difference = after.count / after.minutes - before.count / before.minutes
  const error = Math.hypot(Math.sqrt(after.count) / after.minutes, Math.sqrt(before.count) / before.minutes)
  if (Math.abs(difference) <= STANDARD_ERRORS * error) return 'no difference beyond chance'
  return difference > 0 ? 'more' : 'fewer'
}

exports.trendOf = trendOf
