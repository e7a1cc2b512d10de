'use strict'

const { causeRow, excuseOf, isExcused, isOwnBlock, largestOther, ownMsOf } = require('../tables/causes')
const { garbageOf, hasFullHeap, keeperOf } = require('./memory-text')
const { asleepText, IN_CALL, issueText, place, withoutPlace, workOf } = require('./place-text')
const { duration } = require('./units')

/** @import { BlockRecord, CallbackRecord, PackageRecord, QueryRecord } from '../types' */

/** Limit for the name and for the version of a package, far above any in use. */
const PACKAGE_CHARS = 80

/** Callbacks in a message. */
const CALLBACKS = 3

/** @import { Frame } from './place-text' */

/** @param {BlockRecord} record @param {{ isAtLeast?: boolean }} [options] whether the duration may be longer */
exports.sentenceOf = (record, { isAtLeast = false } = {}) => printable(sentence(record, isAtLeast ? 'at least ' : ''))

/** For a block in or after which its process ended. @param {BlockRecord} record as it was last */
exports.endSentenceOf = (record) => {
  const keeper = keeperOf(record)
  const isSaid = !isExcused(record) && garbageOf(record) !== null
  const full = hasFullHeap(record) && !isSaid ? `, the heap was full${keeper && `: ${keeper}`}` : ''
  const length = duration(record.durationMs)
  const how = record.ongoing ? `${length} into a block` : `after a block of ${length}`
  const begin = `a previous process (pid ${record.pid}) ended ${how}${record.startup ? ' at startup' : ''}`
  return printable(about(record, begin) + full)
}

/** @param {BlockRecord} record @param {string} bound */
function sentence (record, bound) {
  const { thread, threadId, durationMs, ongoing, startup } = record
  // Records of versions that watched only the main thread have no id.
  const loop = threadId ? `event loop of worker thread ${thread}` : 'event loop'
  const how = ongoing
    ? `blocked for ${bound}${duration(durationMs)} so far`
    : `was blocked for ${bound}${duration(durationMs)}`
  return about(record, `${loop} ${how}${startup ? ' at startup' : ''}`)
}

/** @param {BlockRecord} record @param {string} begin of the sentence */
function about (record, begin) {
  const { cause, evidence, origin, calledFrom } = record
  if (isOwnBlock(record)) return `${begin} by loopwatch itself: ${where(record)}`
  if (isExcused(record)) return `${begin}: ${excuseOf(cause)} (${cause})`
  const issue = record.packageIssue ? ` (${issueText(record.packageIssue)})` : ''
  const within = record.package ? `, in ${nameOf(record.package)}${issue}` : ''
  const name = workOf(record)
  const { work, request } = record
  const among = work?.among ?? request?.among
  const oldest = among ? ` (the oldest of ${among} in flight)` : ''
  const who = name === null ? '' : `, ${work?.ended ?? request?.ended ? 'after ' : ''}${name}${oldest}`
  // Records of an earlier version have no origin.
  const created = origin ? `, created at ${place(origin.frame)}` : ''
  const reason = garbageOf(record)
  const garbage = reason === null ? '' : `, ${reason}`
  const awaited = calledFrom ? `, called from ${place(calledFrom)}` : ''
  const asleep = evidence.sleptIn ? `, ${asleepText(evidence.sleptIn.text)}` : ''
  const statement = record.query ? `, ${queryText(record.query)}` : ''
  return `${begin}${blamed(record)}${asleep}${within}${awaited}${who}${created} (${cause})${garbage}` +
    `${turnOf(record)}${statement}`
}

/** The place, and the largest other part if it was large. @param {BlockRecord} record */
function blamed (record) {
  const other = largestOther(record)
  if (other === null) return `: ${where(record)}`
  const [cause, ms] = other
  const { phrase } = causeRow(cause)
  const comma = record.change ? ',' : ''
  if (record.frame === null) return `, ${duration(ms)} of it ${phrase}: ${where(record)}`
  return `, ${duration(ownMsOf(record))} of it by ${where(record)}${comma} and ${duration(ms)} ${phrase}`
}

/** The heaviest callbacks of the turn, if there were several. @param {BlockRecord} record */
function turnOf ({ callbacks = [] }) {
  if (callbacks.length < 2) return ''
  const more = callbacks.length - CALLBACKS
  // Functions of one name, such as those without any, differ by their lines.
  const names = callbacks.map(({ frame }) => frame.function)
  const isShared = (/** @type {string | null} */ name) =>
    name === null || names.indexOf(name) !== names.lastIndexOf(name)
  const heaviest = callbacks.slice(0, CALLBACKS)
    .map((each) => callbackText(each, isShared(each.frame.function))).join(', ')
  return `, callbacks: ${heaviest}${more > 0 ? ` and ${more} more` : ''}`
}

/** @param {QueryRecord} query */
const queryText = ({ text, count, totalMs, more }) => {
  const which = count === 1 && !more ? 'statement' : `longest of ${more ? 'more than ' : ''}${count} statements`
  return `${which} (${duration(totalMs)}): ${text}`
}

/** @param {CallbackRecord} callback @param {boolean} hasLine */
function callbackText ({ kind, event, frame, work, weightMs }, hasLine) {
  const of = work === null ? '' : ` of ${work}`
  return `${event ? `'${event}'` : kind} ${hasLine ? place(frame) : frame.function}${of} ${duration(weightMs)}`
}

/** The place of a block, with the call or the generated code in it. @param {BlockRecord} record */
function where (record) {
  const { frame, profile, probable, generated } = record
  if (frame !== null) {
    const call = profile?.call ? `${profile.call}${frame.exact === false ? ',' : ' in'} ` : ''
    const line = probable && probable.line !== frame.line ? ` in line ${probable.line}` : ''
    const guess = probable ? `, probably ${line === '' ? 'in ' : ''}${probable.call}${line}` : ''
    const change = record.change ? `, ${record.change.text}` : ''
    return `${generated ? `${made(generated)} run by ` : call}${place(frame)}${guess}${change}`
  }
  const words = withoutPlace(record)
  return words === IN_CALL ? `${words}; the line follows when the call returns` : words
}

/** Generated code; a template has no lines to open. @param {Frame} generated */
const made = (generated) => generated.line === null ? generated.function : `generated code ${place(generated)}`

/** @param {PackageRecord} package */
function nameOf ({ name, version }) {
  return version ? `${cut(name)}@${cut(version)}` : cut(name)
}

/** @param {string} text */
function cut (text) {
  return text.length > PACKAGE_CHARS ? `${text.slice(0, PACKAGE_CHARS - 1)}…` : text
}

/** "1 block", "2 blocks". @param {number} count @param {string} noun @param {string} [plural] */
function counted (count, noun, plural = `${noun}s`) {
  return `${count} ${count === 1 ? noun : plural}`
}

/**
 * Replaces control characters, and those that change the direction of text: names from files and clients must not
 * control a terminal, or turn a line around. @param {string} text
 */
function printable (text) {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '\uFFFD')
}

exports.counted = counted
exports.duration = duration
exports.printable = printable
exports.queryText = queryText
exports.workOf = workOf
