'use strict'

const pino = require('pino')
const { describe } = require('./sentence')
const { LogBudget } = require('./budget')
const { LogDestination } = require('./destination')
const { causes } = require('../../tables/causes')

const FRAMES_IN_LINE = 8
/** A pipe takes 4 KiB in one piece: below it lines of host and watchdog stay whole. 200 bytes are pino's own. */
const LINE_BYTES = 4096 - 200
/** A longer name of a function, file or route is cut; the line holds up to ten of them beside the stack. */
const NAME_BYTES = 400
/** The same of a package and its version, which are shorter than any path. */
const PACKAGE_BYTES = 100

/** @typedef {import('../../types').BlockRecord} BlockRecord */

/** The pino log, written on the watchdog's thread while the host may be stuck. */
class BlockLog {
  #pino
  #destination
  #budget
  #nowMs
  #suppressed = 0

  /**
   * @param {object} parts
   * @param {true | { level?: string, destination?: 1 | 2 | string }} parts.log
   * @param {() => number} parts.nowMs
   * @param {(error: Error | null) => void} parts.onState
   */
  constructor ({ log, nowMs, onState }) {
    const { level = 'info', destination = 1 } = log === true ? {} : log
    this.#destination = new LogDestination(destination, onState)
    this.#pino = pino({ name: 'loopwatch', level }, this.#destination)
    this.#budget = new LogBudget(nowMs())
    this.#nowMs = nowMs
  }

  /** A block is certain. @param {BlockRecord} record */
  opened (record) {
    this.#block('opened', record)
  }

  /** A block lasts. @param {BlockRecord} record */
  lasting (record) {
    this.#block('lasting', record)
  }

  /** @param {BlockRecord} record */
  closed (record) {
    this.#block('closed', record)
  }

  /** A block has lasted for `stuck`: everything known of it, in one piece. @param {BlockRecord} record */
  stuck (record) {
    const { id, durationMs, cause, frame, request } = record
    this.#pino.error({ event: 'stuck', block: id, durationMs, cause, frame, request, record }, describe(record))
  }

  /** @param {'opened' | 'lasting' | 'closed'} event @param {BlockRecord} record */
  #block (event, record) {
    const { id, thread, threadId, durationMs, uncertaintyMs, cause, startup, samples, evidence, stacks, origin } = record
    const level = causes[cause].excuse !== undefined || startup ? 'info' : 'warn'
    // Under a debugger somebody is looking at a breakpoint. What nobody sees leaves its place to others.
    if (evidence.debugger || !this.#pino.isLevelEnabled(level)) return this.#budget.pass(record)
    if (!this.#budget.allows(record, this.#nowMs())) return
    const frame = record.frame && cutFrame(record.frame)
    const request = record.request && { ...record.request, route: /** @type {string} */ (cut(record.request.route)) }
    const created = origin && cutFrame(origin.frame)
    const found = record.package && cutPackage(record.package)
    const suppressed = this.#takeSuppressed()
    const stack = stacks.length > 0 ? stacks[0].frames.slice(0, FRAMES_IN_LINE).map((each) => cut(line(each))) : undefined
    const fields = { event, block: id, ...(threadId !== 0 && { thread, threadId }), durationMs, uncertaintyMs, cause, frame, ...(found && { package: { name: found.name, version: found.version } }), request, samples, evidence, stack, ...(origin && { origin: { type: origin.type, frame: created } }), ...(suppressed > 0 && { suppressed }) }
    const message = describe({ ...record, frame, package: found, request, origin: origin && { ...origin, frame: /** @type {import('../../types').Frame} */ (created) } })
    while (fields.stack?.length && jsonBytes([fields, message]) > LINE_BYTES) fields.stack.pop()
    this.#pino[level](fields, message)
  }

  /** Says how many blocks a storm has kept out of the log, once it is over. */
  flushSuppressed () {
    const suppressed = this.#takeSuppressed()
    if (suppressed > 0) this.#pino.warn({ event: 'suppressed', suppressed }, `${suppressed} more blocks were counted and not logged`)
  }

  #takeSuppressed () {
    const suppressed = this.#budget.takeSuppressed()
    this.#suppressed += suppressed
    return suppressed
  }

  /** Blocks left out and lines that could not be written, since the last call. */
  takeLosses () {
    const losses = { log_suppressed: this.#suppressed, log_line: this.#destination.dropped }
    this.#suppressed = 0
    this.#destination.dropped = 0
    return losses
  }

  /** @param {'debug' | 'info' | 'warn'} level @param {object} fields @param {string} message */
  say (level, fields, message) {
    this.#pino[level](fields, message)
  }

  close () {
    this.#destination.flush()
    this.#destination.close()
  }
}

/** @param {import('../../types').Frame} frame */
function line ({ function: name, file, line, column }) {
  return `${name ?? '(anonymous)'} (${file ?? 'native'}${line === null ? '' : `:${line}:${column}`})`
}

/** @param {unknown} value */
function jsonBytes (value) {
  return Buffer.byteLength(JSON.stringify(value))
}

/** @template {import('../../types').Frame} F @param {F} frame @returns {F} */
function cutFrame (frame) {
  return { ...frame, function: cut(frame.function), file: cut(frame.file) }
}

/** @param {import('../../types').PackageRecord} found @returns {import('../../types').PackageRecord} */
function cutPackage (found) {
  return { ...found, name: /** @type {string} */ (cut(found.name, PACKAGE_BYTES)), version: cut(found.version, PACKAGE_BYTES) }
}

/** A name without its middle, where it is too long for a line. @param {string | null} name @param {number} [mostBytes] */
function cut (name, mostBytes = NAME_BYTES) {
  if (name === null) return null
  let short = name
  for (let half = mostBytes; jsonBytes(short) > mostBytes; half = Math.floor(half * 0.8)) {
    short = `${name.slice(0, half)}…${name.slice(-half)}`
  }
  return short
}

exports.BlockLog = BlockLog
