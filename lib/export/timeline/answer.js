'use strict'

const { json } = require('../http/server')
const { LoopwatchError } = require('../../tables/errors')
const { rangeOf } = require('./range')
const { writeTrace } = require('./trace-events')

/**
 * @import { Reply } from '../http/server'
 * @import { Trace } from './trace-events'
 */

/**
 * `/timeline?from=&to=`: the last ten minutes, or a part of them, as a file.
 * @param {URLSearchParams} query
 * @param {(range: ReturnType<typeof rangeOf>) => Trace} gather
 * @returns {Promise<Reply>}
 */
exports.answerTimeline = async (query, gather) => {
  try {
    const body = await writeTrace(gather(rangeOf(query, Date.now())))
    const headers = { 'content-disposition': `attachment; filename="loopwatch-${process.pid}.trace.json"` }
    return { status: 200, type: 'application/json; charset=utf-8', body, headers }
  } catch (error) {
    if (!(error instanceof LoopwatchError)) throw error
    return json({ error: error.message, code: error.code }, 400)
  }
}
