'use strict'

const { excuseOf } = require('../tables/causes')

/** From this share of a culprit's time on, a line is shown beside the first. */
const SHOWN_SHARE = 0.2
/** Most lines, and names of work, that are shown. */
const MOST = 3

/**
 * @typedef {import('../types').FrameRecord} FrameRecord
 * @typedef {import('../types').BlockRecord} BlockRecord
 * @typedef {{ profile?: { call: string | null } | null }} Called
 * @typedef {Pick<BlockRecord, 'id' | 'cause' | 'frame' | 'durationMs'> & Called} Row
 */

/**
 * What blocks of one culprit have in common: a function in a file. Its line, whether that is certain, and the cause
 * differ by where samples fell. A function without a name goes by its line, and a block that no code is to blame for by
 * its cause.
 * @param {Pick<Row, 'cause' | 'frame' | 'profile'>} row
 */
exports.keyOf = ({ cause, frame, profile }) => {
  if (excuseOf(cause) !== undefined) return JSON.stringify([cause])
  if (frame === null) return JSON.stringify([cause, profile?.call ?? null, null])
  return JSON.stringify([frame.function, frame.file, ...(frame.function === null ? [frame.line] : [])])
}

/** Adds up time by name. */
class Shares {
  /** @type {Map<string, number>} */
  #msOf = new Map()

  /** @param {string} name @param {number} ms */
  add (name, ms) {
    this.#msOf.set(name, (this.#msOf.get(name) ?? 0) + ms)
  }

  /** The names, the longest first. @param {number} [leastMs] */
  names (leastMs = 0) {
    return [...this.#msOf].filter(([, ms]) => ms >= leastMs).sort(([, a], [, b]) => b - a).map(([name]) => name)
  }
}

/** Blocks of one culprit, added up. */
class Culprit {
  #lines = new Shares()
  #causes = new Shares()
  #works = new Shares()
  /** By line, with certainty if any block has it. @type {Map<string, FrameRecord>} */
  #frames = new Map()
  count = 0
  totalMs = 0
  longestMs = -1
  longestId = ''

  /** @param {Row} row @param {string} work that was being done */
  add ({ id, cause, frame, durationMs }, work) {
    this.count++
    this.totalMs += durationMs
    if (durationMs > this.longestMs) {
      this.longestMs = durationMs
      this.longestId = id
    }
    this.#causes.add(cause, durationMs)
    if (work !== '') this.#works.add(work, durationMs)
    if (frame === null || excuseOf(cause) !== undefined) return
    const line = `${frame.line}`
    this.#lines.add(line, durationMs)
    if (!this.#frames.get(line)?.exact) this.#frames.set(line, frame)
  }

  /** The cause of most of the time. */
  get cause () {
    return /** @type {Row['cause']} */ (this.#causes.names()[0])
  }

  /** The place that had most of the time; null where there is none. @returns {FrameRecord | null} */
  get frame () {
    return this.#frames.get(this.#lines.names()[0]) ?? null
  }

  /** Other lines of the function that had much of the time, and are certain. */
  get otherLines () {
    const lines = this.#lines.names(SHOWN_SHARE * this.totalMs)
    return lines.slice(1, MOST).filter((line) => this.#frames.get(line)?.exact)
  }

  /** What was being worked on, the longest first. */
  get work () {
    const names = this.#works.names()
    const more = names.length > MOST ? ` and ${names.length - MOST} more` : ''
    return `${names.slice(0, MOST).join(', ')}${more}`
  }
}

exports.Culprit = Culprit
