'use strict'

const { subscribe, unsubscribe } = require('node:diagnostics_channel')
const { QUERY } = require('../../bridge/messages')
const { nowMs } = require('../../util/clock')
const { NS_PER_MS } = require('../../util/units')

/** @import { QueryRecord } from '../../types' */

/** Node.js 26 publishes each statement of node:sqlite here at its end, with the values that it was run with. */
const CHANNEL = 'sqlite.db.query'
/** Statements are followed for this long from a block on that may have been in one. */
const FOLLOWED_MS = 10 * 60_000
/** Time that a statement takes longer while it is followed: Node.js writes out its values, blobs slowly (26.10). */
const STATEMENT_MS = 0.001
const CHAR_MS = 0.000015
/** Time that all of them may take longer: one percent, and 10,000 small statements at once. */
const SHARE = 0.01
const BURST_MS = 10
/** A longer statement has large values: it takes milliseconds to write them out, so nothing is followed any more. */
const LARGE_CHARS = 100_000
/** Characters of a statement that are searched for literals, and the most that are shown. */
const SEARCHED_CHARS = 8000
const TEXT_CHARS = 200

/** Literals, names (which stay), comments; what is left of literals. What has no end goes to the end of the text. */
const TOKEN = new RegExp([
  /x?'(?:[^']|'')*(?:'|$)/.source,
  /([a-z_\u0080-\uffff][\w$\u0080-\uffff]*|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])/.source,
  /(--[^\n]*|\/\*[^]*?(?:\*\/|$))/.source,
  /["`[][^]*|\?\d*|0x[\da-f]+|\.?\d(?:[\w.]|(?<=e)[+-])*/.source
].join('|'), 'gi')
const LIST = /\?(?:\s*,\s*\?)+/g

/**
 * A statement without its literals and comments: `?` stands for a literal, `?, …` for a list of them.
 * @param {string} sql
 */
function queryText (sql) {
  const text = sql.slice(0, SEARCHED_CHARS)
    .replace(TOKEN, (_, name, comment) => name ?? (comment === undefined ? '?' : ' '))
    .replace(LIST, '?, …')
    .replace(/\s+/g, ' ')
    .trim()
  return text.length <= TEXT_CHARS && sql.length <= SEARCHED_CHARS ? text : `${text.slice(0, TEXT_CHARS - 1)}…`
}

/** Follows the statements of node:sqlite: the longest of the turn, and how many there were. */
class Queries {
  #beat
  #post
  #isOn = false
  #sinceMs = -Infinity
  #spentMs = 0
  /** @type {Omit<QueryRecord, 'text'> & { beats: number, sql: string, atMs: number }} */
  #turn = { beats: -1, sql: '', durationMs: 0, atMs: 0, count: 0, totalMs: 0 }

  /** @param {{ readonly beats: number }} beat the last one @param {(message: object) => void} post to the watchdog */
  constructor (beat, post) {
    this.#beat = beat
    this.#post = post
  }

  /** A block may have been in a statement. */
  follow () {
    const atMs = nowMs()
    // After a burst, the share of a second has to make up for it.
    if (this.#isOn || this.#spentMs === Infinity || atMs - this.#sinceMs < BURST_MS / SHARE) return
    this.#sinceMs = atMs
    this.#spentMs = 0
    this.#isOn = true
    subscribe(CHANNEL, this.#onQuery)
  }

  #end () {
    unsubscribe(CHANNEL, this.#onQuery)
    this.#isOn = false
  }

  /** Never throws, whatever an application publishes: the error would end the process. @param {any} message */
  #onQuery = (message) => {
    try {
      const { sql, duration } = message
      if (sql.length > LARGE_CHARS) return this.stop()
      if (typeof sql === 'string' && Number.isFinite(duration)) this.#add(sql, duration / NS_PER_MS, nowMs())
    } catch {
      // Not a message of Node.js.
    }
  }

  /** @param {string} sql @param {number} durationMs @param {number} atMs */
  #add (sql, durationMs, atMs) {
    const { beats } = this.#beat
    if (beats !== this.#turn.beats) this.#turn = { beats, sql, durationMs, atMs, count: 0, totalMs: 0 }
    const turn = this.#turn
    turn.count++
    turn.totalMs += durationMs
    if (durationMs > turn.durationMs) this.#turn = { ...turn, sql, durationMs, atMs }
    this.#spentMs += STATEMENT_MS + sql.length * CHAR_MS
    const sinceMs = atMs - this.#sinceMs
    if (this.#spentMs <= BURST_MS + sinceMs * SHARE && sinceMs <= FOLLOWED_MS) return
    this.#turn.more = true
    this.#end()
  }

  /** A beat came late: reports the turn, which may be a block. */
  late () {
    const { beats, sql, ...turn } = this.#turn
    if (beats === this.#beat.beats) this.#post({ code: QUERY, text: queryText(sql), ...turn })
  }

  stop () {
    this.#spentMs = Infinity
    this.#end()
  }
}

exports.Queries = Queries
exports.queryText = queryText
