'use strict'

const pino = require('pino')
const { frameText } = require('../../util/place-text')
const { sentenceOf } = require('../../util/sentence')
const { shownStacks } = require('../../util/shown-stacks')
const { MS_PER_S } = require('../../util/units')
const { LogBudget, Progress, STARTUP_S, ThreadBudget } = require('./budget')
const { LogDestination } = require('./destination')
const { formatter } = require('./pretty')
const { causeRow, ownCauseOf, severityOf } = require('../../tables/causes')

/** @import { BlockRecord, WorkRecord } from '../../types' */

/** A pipe takes 4 KiB atomically, so lines of host and watchdog do not mix. pino adds 200 bytes. */
const LINE_BYTES = 4096 - 200
/** Longest name of a function, file or route. A line has up to ten of them in addition to the stack. */
const NAME_BYTES = 400
/** Longest name and version of a package: both are shorter than any path. */
const PACKAGE_BYTES = 100

/**
 * @typedef {object} Destination of lines; it never throws
 * @property {(line: string) => void} write
 * @property {() => number} takeLost lines that could not be written since the last call
 * @property {() => void | Promise<void>} end writes what waits, and closes
 */

/** The log of blocks. pino writes on the watchdog's thread, so the host may be stuck. */
class BlockLog {
  #pino
  #destination
  #budget
  #threadBudget
  #progress = new Progress()
  #nowMs
  #isQuiet
  #beganAtMs
  #suppressed = 0

  /**
   * @param {object} parts
   * @param {true | { level?: string, destination?: 1 | 2 | string, format?: 'json' | 'pretty' }} parts.log
   * @param {() => number} parts.nowMs
   * @param {(error: Error | null) => void} parts.onState
   * @param {boolean} [parts.isQuiet] preloaded below NODE_OPTIONS @param {typeof openHere} [parts.open]
   */
  constructor ({ log, nowMs, onState, isQuiet = false, open = openHere }) {
    const { level = 'info', destination = 1, format } = log === true ? {} : log
    const written = this.#destination = open(destination, onState)
    const toText = formatter(format, destination)
    const stream = toText === null ? written : { write: (/** @type {string} */ json) => written.write(toText(json)) }
    this.#pino = pino({ name: 'loopwatch', level }, stream)
    this.#budget = new LogBudget(nowMs())
    // Blocks of one thread come one after the other. Blocks of a pool come together, even long ones.
    this.#threadBudget = new ThreadBudget(nowMs(), Infinity)
    this.#nowMs = nowMs
    this.#isQuiet = isQuiet
    this.#beganAtMs = nowMs()
  }

  /** Blocks at startup are logged when they settle. @param {BlockRecord} record */
  opened (record) {
    if (!record.startup) this.#block('opened', record)
  }

  /** @param {BlockRecord} record */
  lasting (record) {
    if (this.#progress.isDue(record)) this.#block('lasting', record)
  }

  /** @param {BlockRecord} record @param {number} [endMs] */
  settled (record, endMs = Infinity) {
    this.#progress.ended(record.id)
    // A block before a quiet process had its watchdog has no samples and is of no interest.
    if (!this.#isQuiet || endMs >= this.#beganAtMs || record.samples > 0) this.#block('settled', record)
  }

  /** Logs everything known about a block that has lasted for `stuck`. @param {BlockRecord} record */
  stuck (record) {
    const { id, durationMs, cause, frame, request } = record
    this.#pino.error({ event: 'stuck', block: id, durationMs, cause, frame, request, record }, sentenceOf(record))
  }

  /** @param {'opened' | 'lasting' | 'settled'} event @param {BlockRecord} record */
  #block (event, record) {
    const budget = record.threadId === 0 ? this.#budget : this.#threadBudget
    // Allowed blocks are only counted, unless they last as long as `stuck`.
    if (record.allowed) return budget.pass(record)
    const level = levelOf(record, this.#isQuiet)
    // A line that is not written must not use up the budget.
    if (!this.#pino.isLevelEnabled(level)) return budget.pass(record)
    if (!budget.allows(record, this.#nowMs())) return
    const { fields, message } = lineOf(event, record, this.#takeSuppressed())
    this.#pino[level](fields, message)
  }

  /** Logs how many blocks a burst kept out of the log, after its end. */
  flushSuppressed () {
    const suppressed = this.#takeSuppressed()
    if (suppressed === 0) return
    const blocks = suppressed === 1 ? '1 more block was' : `${suppressed} more blocks were`
    this.#pino.warn({ event: 'suppressed', suppressed }, `${blocks} counted but not logged`)
  }

  #takeSuppressed () {
    const suppressed = this.#budget.takeSuppressed() + this.#threadBudget.takeSuppressed()
    this.#suppressed += suppressed
    return suppressed
  }

  takeDropped () {
    const dropped = { log_suppressed: this.#suppressed, log_line: this.#destination.takeLost() }
    this.#suppressed = 0
    return dropped
  }

  /** @param {'debug' | 'info' | 'warn'} level @param {object} fields @param {string} message */
  say (level, fields, message) {
    this.#pino[level](fields, message)
  }

  close () {
    return this.#destination.end()
  }
}

/** @param {BlockRecord} record @param {boolean} isQuiet */
function levelOf (record, isQuiet) {
  // The start of each process below NODE_OPTIONS is of no interest.
  if (isQuiet && record.startup && record.durationMs < STARTUP_S * MS_PER_S) return 'debug'
  return severityOf(record)
}

/** @param {1 | 2 | string} destination @param {(error: Error | null) => void} onState @returns {Destination} */
function openHere (destination, onState) {
  return new LogDestination(destination, onState)
}

/** Has as much of the stack as fits. @param {string} event @param {BlockRecord} record @param {number} suppressed */
function lineOf (event, record, suppressed) {
  const short = cutRecord(record)
  const { id, thread, threadId, durationMs, uncertaintyMs, cause, excused, parts, evidence, samples } = short
  const { frame, package: owner, packageIssue, change, calledFrom, origin, work, request } = short
  const { stacks, isProfiled } = shownStacks(record)
  const isOfMemory = causeRow(ownCauseOf(record)).blamesAllocation && evidence.memory
  const stack = stacks[0]?.frames.slice(0, 8).map((each) => cut(frameText(each), NAME_BYTES))
  const fields = {
    event,
    block: id,
    ...(threadId !== 0 && { thread, threadId }),
    durationMs,
    uncertaintyMs,
    cause,
    excused,
    frame,
    ...(owner && { package: { name: owner.name, version: owner.version } }),
    ...(packageIssue && { packageIssue }),
    ...(change && { change }),
    ...(calledFrom && { calledFrom }),
    ...(work && work.kind !== 'request' && { work: workInLine(work) }),
    request,
    samples,
    parts,
    // A heap profile has a line of its own.
    evidence: { ...evidence, memory: isOfMemory ? { ...evidence.memory, heapProfile: undefined } : undefined },
    stack,
    ...(isProfiled && { stackFrom: 'profile' }),
    ...(record.query && { query: record.query }),
    ...(origin && { origin: { type: origin.type, frame: origin.frame } }),
    ...(suppressed > 0 && { suppressed })
  }
  const message = sentenceOf(short)
  while (stack?.length && jsonBytes([fields, message]) > LINE_BYTES) stack.pop()
  return { fields, message }
}

/** The record with names that fit into a line. @param {BlockRecord} record @returns {BlockRecord} */
function cutRecord (record) {
  const { evidence, frame, package: owner, calledFrom, request, work, origin } = record
  return {
    ...record,
    ...cutTexts({ evidence, frame, calledFrom, request, work, origin }, NAME_BYTES),
    ...cutTexts({ package: owner }, PACKAGE_BYTES)
  }
}

/** Attributes would take the space of the stack. They are in the record. @param {WorkRecord} work */
function workInLine ({ startedAt, attributes, sampled, ...work }) {
  return work
}

/** @template T @param {T} value plain data @param {number} mostBytes of each text in it @returns {T} */
function cutTexts (value, mostBytes) {
  return JSON.parse(JSON.stringify(value), (_key, each) => typeof each === 'string' ? cut(each, mostBytes) : each)
}

/** @param {unknown} value */
function jsonBytes (value) {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Cuts the middle out of a long text. @param {string} text @param {number} mostBytes */
function cut (text, mostBytes) {
  let short = text
  for (let half = mostBytes; jsonBytes(short) > mostBytes; half = Math.floor(half * 0.8)) {
    short = `${text.slice(0, half)}…${text.slice(-half)}`
  }
  return short
}

exports.BlockLog = BlockLog
