'use strict'

/** @import { Frame, RequestContext, WorkContext, WorkKind } from '../types' */

// Control characters that file names do not have. A name that has one garbles only its own line.
const FIELD = '\x1f'
const LINE = '\x1e'
/** Marks a numeric attribute of work. */
const NUMBER = 'n'
/** Marks a frame that is not on the stack but awaits what runs there. */
const AWAITING = 'a'
/** Ends a stack whose outermost frames are missing, as does half a frame if the memory is full. */
const CUT = 'c'

/** Fields of the rows of an answer, in the order of its text: the host writes by them, the watchdog reads by them. */
const HEAD = ['atMs', 'idleMs', 'beats', 'inspectorUrl', 'putAtMs', 'cpuMs']
const REQUEST = ['id', 'startedAtMs', 'method', 'traceId', 'isCertain', 'isEnded', 'route', 'bytesIn', 'bytesOut']
const SPAN = ['spanId', 'isSampled', 'traceId', 'name']
const WORK = ['id', 'rootId', 'kind', 'startedAtMs', 'isEnded', 'parentId', 'parentKind', 'parentName', 'name']
const FRAME = ['line', 'column', 'file', 'name']

/** Host: a row; what has no value is empty. @param {string[]} fields @param {Record<string, unknown>} values */
function writeRow (fields, values) {
  let text = ''
  for (let i = 0; i < fields.length; i++) text += (i === 0 ? '' : FIELD) + (values[fields[i]] ?? '')
  return text
}

/** Watchdog: takes a row from the front of `texts`. @param {string[]} fields @param {string[]} texts */
function takeRow (fields, texts) {
  const values = texts.splice(0, fields.length)
  return /** @type {Record<string, string>} */ (Object.fromEntries(fields.map((field, i) => [field, values[i]])))
}

/** Reads what lib/host/sense/probe.js wrote. @param {string} text @returns {Answer} */
exports.parseAnswer = (text) => {
  const [head, work = '', open = '', openWork = '', others = '', ...lines] = text.split(LINE)
  const texts = head.split(FIELD)
  const { atMs, idleMs, beats, inspectorUrl, putAtMs, cpuMs } = takeRow(HEAD, texts)
  const isWritten = lines.length > 0 && !lines[0].includes(FIELD)
  // The innermost three frames of a stack that V8 wrote are the probe's.
  const all = isWritten
    ? lines[0].split('\n').filter((line) => WRITTEN.test(line)).slice(3).map(parseWritten)
    : lines.slice(0, -1).map(parseFrame)
  const frames = all.filter((frame) => !frame.async)
  const awaiting = all.filter((frame) => frame.async)
  const certain = parseRunning(texts, work.split(FIELD), frames)
  return {
    atMs: Number(atMs),
    idleMs: Number(idleMs),
    beats: Number(beats),
    inspectorPort: Number(/:(\d+)\//.exec(inspectorUrl)?.[1]) || null,
    putAtMs: putAtMs === '' ? null : Number(putAtMs),
    cpuMs: cpuMs === '' ? null : Number(cpuMs),
    ...(certain.work === null ? parseOpen(open.split(FIELD), openWork.split(FIELD)) : certain),
    others: parseOthers(others.split(FIELD)),
    frames,
    ...(!isWritten && lines.at(-1) && { cut: /** @type {const} */ (true) }),
    ...(awaiting.length > 0 && { awaiting })
  }
}

/** @param {string[]} texts of one request after the other */
function parseOthers (texts) {
  const requests = []
  while (texts.length >= REQUEST.length) {
    const request = parseRequest(texts, [])
    if (request !== null && Number.isInteger(request.id)) requests.push(request)
  }
  return requests
}

/**
 * The request and the work that were certainly running.
 * @param {string[]} texts of the request @param {string[]} workTexts @param {Frame[]} frames
 */
function parseRunning (texts, workTexts, frames) {
  const request = parseRequest(texts, frames)
  return { request, work: parseWork(workTexts, request) }
}

/** The oldest open request and work, which may have run. @param {string[]} texts @param {string[]} workTexts */
function parseOpen ([count, ...texts], workTexts) {
  const { request, work } = parseRunning(texts, workTexts, [])
  const doubt = { exact: false, ...(Number(count) > 1 && { among: Number(count) }) }
  return { request: request && { ...request, ...doubt }, work: work && { ...work, ...doubt } }
}

/**
 * The innermost work: named work, else the request, else the active span. If the work or request has ended and the span
 * has not, the span counts: a pool's connection, say, still carries the request that opened it.
 * @param {string[]} texts @param {RequestContext | null} request @returns {WorkContext | null}
 */
function parseWork (texts, request) {
  const { spanId, isSampled, traceId, name } = takeRow(SPAN, texts)
  const span = {
    traceId: traceId || (request?.traceId ?? null),
    spanId: spanId || null,
    sampled: spanId ? isSampled === 'true' : null
  }
  const named = parseNamed(texts, span) ?? requestAsWork(request, span)
  if (!name || named?.ended === false) return named
  const own = { kind: /** @type {const} */ ('span'), name, id: spanId, rootId: spanId }
  return { ...own, parent: null, startedAtMs: null, attributes: {}, ...span, ended: false }
}

/** @typedef {Pick<WorkContext, 'traceId' | 'spanId' | 'sampled'>} Span */

/** @param {string[]} texts @param {Span} span @returns {WorkContext | null} */
function parseNamed (texts, span) {
  const { id, rootId, kind, startedAtMs, isEnded, parentId, parentKind, parentName, name } = takeRow(WORK, texts)
  if (!id) return null
  /** @type {WorkContext['attributes']} */
  const attributes = {}
  for (let i = 0; i + 2 < texts.length; i += 3) {
    attributes[texts[i]] = texts[i + 1] === NUMBER ? Number(texts[i + 2]) : texts[i + 2]
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
    ended: isEnded === 'true'
  }
}

/** @param {RequestContext | null} request @param {Span} span @returns {WorkContext | null} */
function requestAsWork (request, span) {
  if (request === null) return null
  const { method, route, traceId, bytesIn, bytesOut, ...rest } = request
  const id = `${request.id}`
  return { kind: 'request', ...rest, name: `${method} ${route}`, id, rootId: id, parent: null, attributes: {}, ...span }
}

/** @param {string[]} texts @param {Frame[]} frames @returns {RequestContext | null} */
function parseRequest (texts, frames) {
  const { id, startedAtMs, method, traceId, isCertain, isEnded, route, bytesIn, bytesOut } = takeRow(REQUEST, texts)
  if (!id || (isCertain !== 'true' && !frames.some(isArrival))) return null
  return {
    id: Number(id),
    method,
    route,
    startedAtMs: Number(startedAtMs),
    traceId: traceId || null,
    ended: isEnded === 'true',
    bytesIn: bytesIn ? Number(bytesIn) : null,
    bytesOut: bytesOut ? Number(bytesOut) : null
  }
}

/** Whether a frame is the function in Node.js that hands a new request to its server. @param {Frame} frame */
function isArrival ({ function: name, file }) {
  return (file === 'node:_http_server' && name === 'parserOnIncoming') ||
    (file === 'node:internal/http2/compat' && name === 'onServerStream')
}

/** @param {string} text @returns {Frame & { start?: string }} */
function parseFrame (text) {
  const isAwaiting = text.startsWith(AWAITING)
  const texts = text.slice(isAwaiting ? AWAITING.length : 0).split(FIELD)
  const { line, column, file, name } = takeRow(FRAME, texts)
  return {
    function: name ? name + texts.join('') : null,
    file: file || null,
    line: Number(line) || null,
    column: Number(column) || null,
    ...(!name && texts.length > 0 && { start: texts[0] }),
    ...(isAwaiting && { async: true })
  }
}

/** A line of a stack as V8 writes it: `at async name (place)` or `at place`. */
const WRITTEN = /^ {4}at (?:(?:async |new )*(.*?) \((.*)\)|(.*))$/
const AWAITED = '    at async '
/** A place: a file, line and column. For code of an eval, where that was made, and its own line and column. */
const PLACE = /^(eval at .*), .*?:(\d+):(\d+)$|^(?:async )?(.+):(\d+):(\d+)$/

/** @param {string} line @returns {Frame} */
function parseWritten (line) {
  const [, callee = '', within, alone] = /** @type {RegExpExecArray} */ (WRITTEN.exec(line))
  const [, made, madeLine, madeColumn, file, fileLine, column] = PLACE.exec(within ?? alone) ?? []
  // `Type.name [as other]`: V8's call sites give the name alone.
  const name = callee.replace(/ \[as .*\]$/, '').split('.').pop()
  return {
    function: !name || name === '<anonymous>' ? null : name,
    file: made ?? file ?? null,
    line: Number(madeLine ?? fileLine) || null,
    column: Number(madeColumn ?? column) || null,
    ...(line.startsWith(AWAITED) && { async: true })
  }
}

const ASKED = 0
const ANSWERED = 1
const LENGTH = 2
const HEADER_BYTES = 16
/** 64 frames of 500 bytes; more is cut. */
const TEXT_BYTES = 32768

/** One question and its answer, a text in shared memory: it needs neither an inspector session nor the host's loop. */
class ProbeChannel {
  static BYTES = HEADER_BYTES + TEXT_BYTES

  #header
  #text
  #encoder = new TextEncoder()

  /** @param {SharedArrayBuffer} memory @param {number} offset a multiple of 4 */
  constructor (memory, offset) {
    this.#header = new Int32Array(memory, offset, HEADER_BYTES / 4)
    this.#text = new Uint8Array(memory, offset + HEADER_BYTES, TEXT_BYTES)
  }

  /** Watchdog: opens a question. Answers to earlier ones no longer count. */
  ask () {
    return Atomics.add(this.#header, ASKED, 1) + 1
  }

  /** Host: the number of the open question, 0 if it is answered already. */
  get question () {
    const question = Atomics.load(this.#header, ASKED)
    return Atomics.load(this.#header, ANSWERED) === question ? 0 : question
  }

  /** Host: answers the open question. @param {number} question @param {string} text */
  answer (question, text) {
    Atomics.store(this.#header, LENGTH, this.#encoder.encodeInto(text, this.#text).written)
    Atomics.store(this.#header, ANSWERED, question)
  }

  /** Watchdog: the answer to the question, or null while there is none. @param {number} question */
  take (question) {
    if (Atomics.load(this.#header, ANSWERED) !== question) return null
    return Buffer.from(this.#text.slice(0, Atomics.load(this.#header, LENGTH))).toString('utf8')
  }
}

/**
 * @typedef {object} Answer what the host says from within a block
 * @property {number} atMs monotonic @property {number} idleMs as in BeatSlots
 * @property {number} beats as in BeatSlots
 * @property {number | null} inspectorPort at which debuggers can connect; null while it is closed
 * @property {number | null} putAtMs when the question was put again, null if it was put once
 * @property {number | null} [cpuMs] of its thread so far; null if Node.js does not report it
 * @property {RequestContext | null} request @property {WorkContext | null} [work] the innermost
 * @property {RequestContext[]} [others] the newest open requests
 * @property {(Frame & { start?: string })[]} frames innermost first; `start`: where a function without a name begins
 * @property {true} [cut] the outermost frames are missing
 * @property {Frame[]} [awaiting] async functions that await what runs, as far as V8 knows them, innermost first
 */
exports.AWAITING = AWAITING
exports.CUT = CUT
exports.FIELD = FIELD
exports.LINE = LINE
exports.NUMBER = NUMBER
exports.rows = { HEAD, REQUEST, SPAN, WORK, FRAME }
exports.writeRow = writeRow
exports.ProbeChannel = ProbeChannel
