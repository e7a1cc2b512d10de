'use strict'

const { codedError } = require('../../tables/errors')

/** @type {Record<string, number>} */
const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** @typedef {import('../../types').BlockRecord} BlockRecord */

/**
 * Reads a time in the past: how long ago, or when.
 * @param {string} text 90s, 10m, 2h, 7d, or an ISO time
 * @returns {number} Unix time in ms
 */
exports.since = (text) => {
  const [, count, unit] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? []
  const atMs = count === undefined ? (/^\d{4}-/.test(text) ? Date.parse(text) : NaN) : Date.now() - Number(count) * UNIT_MS[unit]
  if (!Number.isFinite(atMs)) throw codedError('LOOPWATCH_ERR_OPTION', '--since', 'a length of time (90s, 10m, 2h, 7d) or an ISO time', text)
  return atMs
}

/**
 * Whether a block is one of those that were asked for.
 * @param {{ since?: number, cause?: string, route?: string, work?: string }} asked
 * @returns {(record: BlockRecord) => boolean}
 */
exports.filterOf = ({ since, cause, route, work }) => ({ startedAt, durationMs, cause: own, request, work: ran }) =>
  (since === undefined || Date.parse(startedAt) + durationMs >= since) &&
  (cause === undefined || own === cause) &&
  (route === undefined || (request !== null && `${request.method} ${request.route}`.includes(route))) &&
  (work === undefined || (!!ran && `${ran.kind} ${ran.name}`.includes(work)))
