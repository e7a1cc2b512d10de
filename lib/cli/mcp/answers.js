'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { causes, excuseOf } = require('../../tables/causes')
const { duration, frameText, sentenceOf } = require('../../export/log/sentence')
const { filterOf, timeOf } = require('../blocks/filter')
const { culpritsOf } = require('../blocks/top')
const { flameRows } = require('./flame-rows')
const { plain } = require('./text')

const RECENT_MS = 600_000
const CULPRITS = 10
const BLOCKS = 20
const NODES = 20
const FRAMES = 12
/** Culprits that are advised on together. */
const ADVISED = 3
const ADVICE = path.join(__dirname, '..', 'advice')

/** @typedef {import('../../types').BlockRecord} BlockRecord */
/** @typedef {import('./source').Source} Source */
/** @typedef {import('./source').Detail} Detail */
/** @typedef {import('./text').Answer} Answer */
/** @typedef {Record<string, any>} Args what the tool's schema has let through */

const totalOf = (/** @type {BlockRecord[]} */ records) => records.reduce((sum, { durationMs }) => sum + durationMs, 0)
const blocksIn = (/** @type {number} */ count) => `${count} ${count === 1 ? 'block' : 'blocks'}`
const summary = (/** @type {BlockRecord[]} */ records) => `${blocksIn(records.length)}, ${duration(totalOf(records))} in all`
const percent = (/** @type {number} */ share) => `${Math.round(100 * share)} %`

/** Blocks that a line of code may be to blame for. @param {BlockRecord} record */
const isBlamed = ({ cause }) => excuseOf(cause) === undefined

/** Of the times of a call. @param {Args} args @returns {import('../blocks/filter').Asked} */
const askedBy = (args) => ({
  ...args,
  since: args.since === undefined ? undefined : timeOf('since', args.since),
  until: args.until === undefined ? undefined : timeOf('until', args.until)
})

/** @param {BlockRecord} record */
const rowOf = (record) => `block id=${record.id} ${record.startedAt} ${plain(sentenceOf(record), 360)}`

/** @param {BlockRecord[]} records */
const spanOf = (records) => records.length === 0 ? '' : `, from ${records[0].startedAt} to ${records[records.length - 1].startedAt}`

/** @param {Source} source @returns {Promise<Answer>} */
exports.status = async (source) => {
  const records = await source.records()
  const ongoing = records.filter((record) => record.ongoing)
  const recent = records.filter(filterOf({ since: Date.now() - RECENT_MS }))
  const now = ongoing.length === 0 ? 'No event loop is blocked at this moment.' : `Blocked at this moment: ${ongoing.length === 1 ? 'one event loop' : `${ongoing.length} event loops`}.`
  const unended = ongoing.length === 0 ? '' : ` Of ${blocksIn(ongoing.length)} the end was never written: the process was killed, or is still in it.`
  const excused = recent.filter((record) => !isBlamed(record))
  return {
    head: [
      source.isLive ? now : `This is a folder of records, which has no live status.${unended}`,
      `Last 10 minutes: ${summary(recent)}${excused.length === 0 ? '' : `; ${summary(excused)} of it was no code of the application (starved or suspended)`}.`,
      `Known altogether: ${summary(records)}${spanOf(records)}.`
    ],
    rows: ongoing.map(rowOf),
    tail: ['Next: culprits (who blocks most), blocks (one by one), block with an id (source lines and advice).']
  }
}

/** @param {Source} source @param {Args} args @returns {Promise<Answer>} */
exports.culprits = async (source, args) => {
  const records = (await source.records()).filter(filterOf(askedBy(args)))
  const blamed = records.filter(isBlamed)
  const all = culpritsOf(blamed)
  const shown = all.slice(0, args.limit ?? CULPRITS)
  const allMs = totalOf(blamed)
  const excused = records.length - blamed.length
  return {
    head: [`${summary(blamed)}, by place, work and cause, the longest in total first.${excused === 0 ? '' : ` Left out: ${blocksIn(excused)} without a line to blame (starved or suspended).`}`],
    rows: shown.map(({ place, work, cause, count, totalMs, longestMs, longestId }, i) =>
      `${i + 1}. ${plain(place)} | ${plain(work)} | ${plain(cause)} | ${blocksIn(count)}, ${duration(totalMs)} in all (${percent(totalMs / allMs)}) | longest ${duration(longestMs)}: block id=${longestId}`),
    left: all.length - shown.length,
    rest: (left) => `${left} more culprits are not shown: narrow it by since, route, work, file or function.`,
    tail: ['Next: block with the id of a longest block.']
  }
}

/** @param {Source} source @param {Args} args @returns {Promise<Answer>} */
exports.blocks = async (source, args) => {
  const records = (await source.records()).filter(filterOf(askedBy(args))).reverse()
  if (args.order === 'longest') records.sort((a, b) => b.durationMs - a.durationMs)
  const { offset = 0, limit = BLOCKS } = args
  const shown = records.slice(offset, offset + limit)
  return {
    head: [`${summary(records)}; ${args.order === 'longest' ? 'the longest' : 'the newest'} first${offset > 0 ? `, from number ${offset + 1} on` : ''}.`],
    rows: shown.map(rowOf),
    left: Math.max(0, records.length - offset - shown.length),
    rest: (left) => `${left} more blocks are not shown: offset=${records.length - left} goes on, filters narrow it.`,
    tail: ['Next: block with an id.']
  }
}

/** @param {Source} source @param {string} id @returns {Promise<Detail | null>} */
async function detailOf (source, id) {
  const records = await source.records()
  const record = records.findLast((each) => each.id === id)
  return record === undefined ? null : source.detail(record, records)
}

/** @param {string} id @returns {Answer} */
const noBlock = (id) => ({ head: ['There is no block of this id any more: blocks and culprits list those that are known.'], rows: [id] })

/** @param {Source} source @param {Args} args @returns {Promise<Answer>} */
exports.block = async (source, { id }) => {
  const detail = await detailOf(source, id)
  if (detail === null) return noBlock(id)
  const { block, source: excerpt } = detail
  const { frame, startedAt, uncertaintyMs, ongoing, pid, thread } = block
  const place = frame === null ? [] : [`${frame.exact === false ? 'place, not certain' : 'place'}: ${plain(frameText(frame), 360)}`]
  const lines = excerpt === null
    ? []
    : ['source:', ...excerpt.lines.map(({ line, text, share }) => `${line === excerpt.line ? '>' : ' '} ${line} | ${share > 0 ? `${percent(share)} of samples | ` : ''}${plain(text, 200)}`)]
  return {
    head: [
      `Block ${block.id} began at ${startedAt} and ${ongoing ? 'still lasts' : `took ${duration(block.durationMs)}`} (± ${duration(uncertaintyMs)}).`,
      ...(excerpt === null ? ['Its source lines are not shown: the place is in no file, or the agent does not show source.'] : [])
    ],
    rows: [plain(sentenceOf(block), 400), ...place, ...lines, ...adviceRows(detail), ...waitRows(detail), ...evidenceRow(block), `process ${pid}, thread ${plain(thread)}`, ...stackRows(block)],
    tail: [...inGeneral(detail, false), 'Next: advice with this id, blocks with this function or file, flame.']
  }
}

/** @param {Detail} detail */
const adviceRows = ({ advice }) => advice.map(({ text }) => `advice: ${text}`)

/** @param {Detail} detail */
function waitRows ({ waits }) {
  if (!waits || waits.requests === 0) return []
  const routes = waits.routes.map(({ name, count, longestMs }) => `${plain(name)} (${count}, up to ${duration(longestMs)})`)
  return [`${waits.requests} requests waited, at most ${duration(waits.longestMs)}: ${routes.join(', ')}`]
}

/** @param {BlockRecord} block */
function evidenceRow ({ evidence }) {
  const parts = Object.entries(evidence).filter(([name, value]) => name.endsWith('Ms') && typeof value === 'number' && value >= 1)
  return parts.length === 0 ? [] : [`evidence, which overlaps: ${parts.map(([name, value]) => `${name} ${Math.round(value)}`).join(', ')}`]
}

/** @param {BlockRecord} block */
function stackRows ({ stacks }) {
  const frames = stacks[0]?.frames ?? []
  const rest = frames.length > FRAMES ? [`  ${frames.length - FRAMES} callers more`] : []
  return frames.length === 0 ? [] : ['heaviest stack, innermost first:', ...frames.slice(0, FRAMES).map((frame) => `  ${plain(frameText(frame), 200)}`), ...rest]
}

/** What there is to say about a cause, in sentences of ours. @param {Detail} detail @param {boolean} isLong */
function inGeneral ({ block: { cause }, advice }, isLong) {
  if (!Object.hasOwn(causes, cause)) return []
  const meaning = `The cause ${cause} means: ${causes[/** @type {keyof typeof causes} */ (cause)].meaning}.`
  return isLong && advice.length === 0 ? [meaning, fs.readFileSync(path.join(ADVICE, `${cause}.md`), 'utf8').trim()] : [meaning]
}

/** @param {Source} source @param {Args} args @returns {Promise<Answer>} */
exports.advice = async (source, { id }) => {
  const ids = id === undefined ? culpritsOf((await source.records()).filter(isBlamed)).slice(0, ADVISED).map(({ longestId }) => longestId) : [id]
  const details = (await Promise.all(ids.map((each) => detailOf(source, each)))).filter((each) => each !== null)
  if (details.length === 0) return id === undefined ? { head: ['There is no block that a line of code is to blame for.'] } : noBlock(id)
  const rows = details.flatMap((detail) => [rowOf(detail.block), ...(detail.advice.length === 0 ? ['  no specific advice'] : adviceRows(detail).map((row) => `  ${row}`))])
  return {
    head: [id === undefined ? `Advice on the longest block of each of the first ${details.length} culprits.` : 'Advice on this block.'],
    rows,
    tail: [...new Set(details.flatMap((detail) => inGeneral(detail, details.length === 1)))]
  }
}

/** @param {Source} source @param {Args} args @returns {Promise<Answer>} */
exports.flame = async (source, { top = NODES, all, ...args }) => {
  const { since, until, ...exact } = askedBy(args)
  const times = Object.entries({ from: since, to: until }).filter(([, value]) => value !== undefined)
  const tree = await source.flame(new URLSearchParams([...Object.entries(exact), ...times.map(([name, value]) => [name, `${value}`])]))
  const { rows, left } = flameRows(tree, { top, all })
  return {
    head: [`${duration(tree.value)} of blocked time by function, callers above what they call${all ? '' : '; functions of the application alone, the time of others is in their callers'}.`],
    rows,
    left,
    rest: (count) => `${count} lighter functions are not shown: top takes more, since and route narrow it.`,
    tail: ['Next: blocks with function or file lists the blocks of one.']
  }
}

exports.askedBy = askedBy
exports.isBlamed = isBlamed
exports.summary = summary
