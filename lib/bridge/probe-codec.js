'use strict'

// Control characters that no file name holds; a name that does only garbles its own line.
const FIELD = '\x1f'
const LINE = '\x1e'

/**
 * @typedef {import('../types').Frame} Frame
 * @typedef {import('../types').RequestContext} RequestContext
 *
 * @typedef {object} Answer what the host says from within a block
 * @property {number} atMs monotonic
 * @property {number} idleMs as in BeatSlots
 * @property {number} beats as in BeatSlots
 * @property {boolean} debugged the inspector's port is open: stand aside
 * @property {number | null} putAtMs when the question was put that is answered: to a worker thread by the main one, or
 * once more
 * @property {number | null} [cpuMs] of its thread so far; null where Node.js does not tell
 * @property {RequestContext | null} request
 * @property {Frame[]} frames
 */

exports.FIELD = FIELD
exports.LINE = LINE

/**
 * Reads what lib/host/sense/probe.js wrote.
 * @param {string} text
 * @returns {Answer}
 */
exports.parseAnswer = (text) => {
  const [head, ...lines] = text.split(LINE)
  const [atMs, idleMs, beats, debugged, putAtMs, cpuMs, ...request] = head.split(FIELD)
  const frames = lines.slice(0, -1).map(parseFrame)
  return {
    atMs: Number(atMs),
    idleMs: Number(idleMs),
    beats: Number(beats),
    debugged: debugged === 'true',
    putAtMs: putAtMs === '' ? null : Number(putAtMs),
    cpuMs: cpuMs === '' ? null : Number(cpuMs),
    request: parseRequest(request, frames),
    frames
  }
}

/** @param {string[]} fields @param {Frame[]} frames @returns {RequestContext | null} */
function parseRequest ([id, startedAtMs, method, traceId, isCertain, isEnded, ...route], frames) {
  if (!id || (isCertain !== 'true' && !frames.some(isArrival))) return null
  return {
    id: Number(id),
    method,
    route: route.join(''),
    startedAtMs: Number(startedAtMs),
    traceId: traceId || null,
    ended: isEnded === 'true'
  }
}

/** Whether a frame is Node's own function that hands a request that has come to its server. @param {Frame} frame */
function isArrival ({ function: name, file }) {
  return (file === 'node:_http_server' && name === 'parserOnIncoming') ||
    (file === 'node:internal/http2/compat' && name === 'onServerStream')
}

/** @param {string} text @returns {Frame} */
function parseFrame (text) {
  const [line, column, file, ...name] = text.split(FIELD)
  return {
    function: name.join('') || null,
    file: file || null,
    line: Number(line) || null,
    column: Number(column) || null
  }
}
