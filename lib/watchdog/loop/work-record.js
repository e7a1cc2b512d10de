'use strict'

/** @typedef {{ kind: import('../../types').WorkKind, name: string, id: string, startedAtMs: number }} ThreadWork */

/**
 * @param {ReturnType<typeof import('../../explain/work').workOf>} told @param {ThreadWork | null} ofThread
 * @param {(ms: number) => string} wallTime
 */
exports.workRecords = ({ work, request, exact }, ofThread, wallTime) => {
  const doubt = exact ? {} : { exact: false }
  return {
    work: work === null ? threadRecord(ofThread, wallTime) : { ...workRecord(work, wallTime), ...doubt },
    request: request === null ? null : { ...requestRecord(request, wallTime), ...doubt }
  }
}

/** @param {import('../../types').WorkContext} work @param {(ms: number) => string} wallTime */
function workRecord ({ startedAtMs, rootId, ...told }, wallTime) {
  return { ...told, startedAt: startedAtMs === null ? null : wallTime(startedAtMs) }
}

/** @param {import('../../types').RequestContext} request @param {(ms: number) => string} wallTime */
function requestRecord ({ startedAtMs, id, ...told }, wallTime) {
  return { ...told, startedAt: wallTime(startedAtMs) }
}

/** @param {ThreadWork | null} work @param {(ms: number) => string} wallTime */
function threadRecord (work, wallTime) {
  if (work === null) return null
  const { startedAtMs, ...named } = work
  const untold = { parent: null, attributes: {}, traceId: null, spanId: null, sampled: null, ended: false }
  return { ...named, startedAt: wallTime(startedAtMs), ...untold }
}
