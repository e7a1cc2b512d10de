'use strict'

const { workOf } = require('../../util/place-text')
const { MS_PER_S } = require('../../util/units')
const { isShown } = require('../choose')
const { withSharedNames } = require('../culprits')
const { labelsOf } = require('./stack-table')

/** @import { BlockRecord } from '../../types' */

/** Numbers of a query, with their defaults. @type {[string, number][]} */
const NUMBERS = [['seconds', Infinity], ['from', -Infinity], ['to', Infinity]]

/**
 * Chooses by `seconds` since a block's end; `from`, `to`: blocks that overlap this time (Unix ms); `cause`, `work`
 * (as in messages), `route` (as in a label); `file`, `line`, `function`: the blamed frame's; `culprit`, `text`, `aside`
 * (0): as on the page.
 * @param {BlockRecord[]} records @param {URLSearchParams} query
 * @returns {{ records: BlockRecord[], error?: undefined } | { error: string }}
 */
exports.chooseBy = (records, query) => {
  const [seconds, from, to] = NUMBERS.map(([name, missing]) => query.has(name) ? numberIn(query.get(name)) : missing)
  if (!(seconds > 0)) return { error: 'seconds takes a number above 0' }
  if (Number.isNaN(from) || Number.isNaN(to)) return { error: 'from and to take Unix times in ms' }
  const sinceMs = Math.max(from, Date.now() - seconds * MS_PER_S)
  const view = {
    culprit: query.get('culprit'), cause: null, text: query.get('text') ?? '', aside: query.get('aside') !== '0'
  }
  return {
    records: withSharedNames(records)
      .filter((record) => isWithin(record, sinceMs, to) && isChosen(record, query) && isShown(record, view))
  }
}

/** @param {string | null} text */
const numberIn = (text) => text?.trim() ? Number(text) : NaN

/** @param {BlockRecord} record @param {number} fromMs @param {number} toMs */
function isWithin ({ startedAt, durationMs }, fromMs, toMs) {
  const startMs = Date.parse(startedAt)
  return startMs + durationMs >= fromMs && startMs <= toMs
}

/** @param {BlockRecord} record @param {URLSearchParams} query */
function isChosen (record, query) {
  const { cause, frame } = record
  const own = {
    cause, work: workOf(record), file: frame?.file, line: `${frame?.line}`, function: frame?.function ?? ''
  }
  const isSame = Object.entries(own).every(([name, value]) => !query.has(name) || value === query.get(name))
  const route = query.get('route')
  return isSame && (route === null || isOfRoute(record, route))
}

/** With a method as in profiles, or without as in metrics. @param {BlockRecord} record @param {string} route */
function isOfRoute (record, route) {
  const { request } = record
  return labelsOf(record).route === route || (request !== null && !request.ended && request.route === route)
}
