'use strict'

const { codedError } = require('../../tables/errors')

/** @import { BlockRecord } from '../../types' */

/** @type {Record<string, number>} */
const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Unix time in ms. @param {string} text 90s, 10m, 2h, 7d, or an ISO time */
exports.since = (text) => exports.timeOf('--since', text)

/** @param {string} name of the option @param {string} text */
exports.timeOf = (name, text) => {
  const [, count, unit] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? []
  const atMs = count === undefined ? (/^\d{4}-/.test(text) ? Date.parse(text) : NaN) : Date.now() - Number(count) * UNIT_MS[unit]
  if (!Number.isFinite(atMs)) throw codedError('LOOPWATCH_ERR_OPTION', name, 'a length of time (90s, 10m, 2h, 7d) or an ISO time', text)
  return atMs
}

/**
 * @typedef {{ since?: number, until?: number, cause?: string, route?: string, work?: string, file?: string,
 *   function?: string }} Asked since: blocks that ended after it, until: that began before it, both Unix time in ms;
 *   route, work, file, function: a part of the text
 */

/** @param {Asked} asked @returns {(record: BlockRecord) => boolean} */
exports.filterOf = (asked) => (record) => isWithin(record, asked) && isOf(record, asked)

/** @param {BlockRecord} record @param {Asked} asked */
const isWithin = ({ startedAt, durationMs }, { since = -Infinity, until = Infinity }) =>
  Date.parse(startedAt) + durationMs >= since && Date.parse(startedAt) <= until

/** @param {BlockRecord} record @param {Asked} asked */
function isOf ({ cause, frame, request, work }, asked) {
  const own = {
    route: request && `${request.method} ${request.route}`,
    work: work && `${work.kind} ${work.name}`,
    file: frame?.file,
    function: frame?.function
  }
  return (asked.cause === undefined || cause === asked.cause) && Object.entries(own).every(([name, text]) => {
    const part = asked[/** @type {keyof typeof own} */ (name)]
    return part === undefined || (text ?? '').includes(part)
  })
}
