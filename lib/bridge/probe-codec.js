'use strict'

// Control characters that no file name holds; a name that does only garbles its own line.
const FIELD = '\x1f'
const LINE = '\x1e'
/** Marks an attribute of a work that is a number. */
const NUMBER = 'n'

/**
 * @typedef {import('../types').Frame} Frame
 * @typedef {import('../types').RequestContext} RequestContext
 * @typedef {import('../types').WorkContext} WorkContext
 * @typedef {import('../types').WorkKind} WorkKind
 *
 * @typedef {object} Answer what the host says from within a block
 * @property {number} atMs monotonic
 * @property {number} idleMs as in BeatSlots
 * @property {number} beats as in BeatSlots
 * @property {boolean} debugged the inspector's port is open: stand aside
 * @property {number | null} putAtMs when the question was put again that is answered
 * @property {number | null} [cpuMs] of its thread so far; null where Node.js does not tell
 * @property {RequestContext | null} request
 * @property {WorkContext | null} [work] the innermost
 * @property {Frame[]} frames
 */

exports.FIELD = FIELD
exports.LINE = LINE
exports.NUMBER = NUMBER

/**
 * Reads what lib/host/sense/probe.js wrote.
 * @param {string} text
 * @returns {Answer}
 */
exports.parseAnswer = (text) => {
  const [head, work = '', ...lines] = text.split(LINE)
  const [atMs, idleMs, beats, debugged, putAtMs, cpuMs, ...fields] = head.split(FIELD)
  const frames = lines.slice(0, -1).map(parseFrame)
  const request = parseRequest(fields, frames)
  return {
    atMs: Number(atMs),
    idleMs: Number(idleMs),
    beats: Number(beats),
    debugged: debugged === 'true',
    putAtMs: putAtMs === '' ? null : Number(putAtMs),
    cpuMs: cpuMs === '' ? null : Number(cpuMs),
    request,
    work: parseWork(work.split(FIELD), request),
    frames
  }
}

/**
 * The innermost work: what was named itself, else the request, else the active span. What is over gives way to a span
 * that is not: a pool's connection, say, lives on in the request that opened it.
 * @param {string[]} fields
 * @param {RequestContext | null} request
 * @returns {WorkContext | null}
 */
function parseWork ([spanId, sampled, traceId, spanName, ...fields], request) {
  const span = {
    traceId: traceId || (request?.traceId ?? null),
    spanId: spanId || null,
    sampled: spanId ? sampled === 'true' : null
  }
  const named = parseNamed(fields, span) ?? requestAsWork(request, span)
  if (!spanName || named?.ended === false) return named
  const id = `${span.spanId}`
  const own = { kind: /** @type {const} */ ('span'), name: spanName, id, rootId: id }
  return { ...own, parent: null, startedAtMs: null, attributes: {}, ...span, ended: false }
}

/** @typedef {Pick<WorkContext, 'traceId' | 'spanId' | 'sampled'>} Span */

/** @param {string[]} fields @param {Span} span @returns {WorkContext | null} */
function parseNamed ([id, rootId, kind, startedAtMs, ended, parentId, parentKind, parentName, name, ...pairs], span) {
  if (!id) return null
  /** @type {WorkContext['attributes']} */
  const attributes = {}
  for (let i = 0; i + 2 < pairs.length; i += 3) {
    attributes[pairs[i]] = pairs[i + 1] === NUMBER ? Number(pairs[i + 2]) : pairs[i + 2]
  }
  return {
    kind: /** @type {WorkKind} */ (kind),
    name,
    id,
    rootId,
    parent: parentId ? { kind: /** @type {WorkKind} */ (parentKind), name: parentName, id: parentId } : null,
    startedAtMs: Number(startedAtMs),
    attributes,
    ...span,
    ended: ended === 'true'
  }
}

/** @param {RequestContext | null} request @param {Span} span @returns {WorkContext | null} */
function requestAsWork (request, span) {
  if (request === null) return null
  const { method, route, startedAtMs, ended } = request
  const id = `${request.id}`
  const name = `${method} ${route}`
  return { kind: 'request', name, id, rootId: id, parent: null, startedAtMs, attributes: {}, ...span, ended }
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
