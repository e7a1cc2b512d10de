'use strict'

const { codedError, LoopwatchError } = require('../../tables/errors')
const { MS_PER_S } = require('../../util/units')
const { download, json, JSON_TYPE } = require('../http/server')
const { writeTrace } = require('./trace-events')

/** @import { Reply } from '../http/server' */
/** @import { Trace } from './trace-events' */

const KEPT_MS = 600 * MS_PER_S
/** The client's clock may be this much ahead. */
const AHEAD_MS = 60 * MS_PER_S
const TIME = 'a Unix time in ms'

/**
 * The range of a query in Unix ms, by default all that is kept.
 * @param {URLSearchParams} query @param {number} nowMs Unix time
 * @throws {LoopwatchError} LOOPWATCH_ERR_OPTION
 */
exports.rangeOf = (query, nowMs) => {
  const from = timeIn(query, 'from', nowMs - KEPT_MS)
  const to = timeIn(query, 'to', nowMs)
  if (from > nowMs + AHEAD_MS) {
    throw codedError('LOOPWATCH_ERR_OPTION', 'from', `a time up to now, which is ${nowMs}`, from)
  }
  const firstMs = nowMs - KEPT_MS
  if (to < firstMs) {
    throw codedError('LOOPWATCH_ERR_OPTION', 'to', `a time within the last ten minutes, which begin at ${firstMs}`, to)
  }
  if (to <= from) throw codedError('LOOPWATCH_ERR_OPTION', 'to', 'a time after from', to)
  return { fromMs: Math.max(from, firstMs), toMs: Math.min(to, nowMs + AHEAD_MS) }
}

/** @param {URLSearchParams} query @param {string} name @param {number} missing */
function timeIn (query, name, missing) {
  const text = query.get(name)
  if (text === null) return missing
  if (!/^\d{1,15}(?:\.\d+)?$/.test(text)) throw codedError('LOOPWATCH_ERR_OPTION', name, TIME, text)
  return Number(text)
}

/**
 * `/timeline?from=&to=`: the last ten minutes, or a part of them, as a file.
 * @param {URLSearchParams} query
 * @param {(range: ReturnType<typeof exports.rangeOf>) => Trace} gather
 * @returns {Promise<Reply>}
 */
exports.answerTimeline = async (query, gather) => {
  try {
    const body = await writeTrace(gather(exports.rangeOf(query, Date.now())))
    return download(`loopwatch-${process.pid}.trace.json`, JSON_TYPE, body)
  } catch (error) {
    if (!(error instanceof LoopwatchError)) throw error
    return json({ error: error.message, code: error.code }, 400)
  }
}
