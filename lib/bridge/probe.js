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
const REQUEST_FIELDS = 7

/** Reads what lib/host/sense/probe.js wrote. @param {string} text @returns {Answer} */
exports.parseAnswer = (text) => {
  const [head, work = '', open = '', openWork = '', others = '', ...lines] = text.split(LINE)
  const [atMs, idleMs, beats, inspectorUrl, putAtMs, cpuMs, ...fields] = head.split(FIELD)
  const isWritten = lines.length > 0 && !lines[0].includes(FIELD)
  const all = isWritten ? parseStack(lines[0]) : lines.slice(0, -1).map(parseFrame)
  const frames = all.filter((frame) => !frame.async)
  const awaiting = all.filter((frame) => frame.async)
  const certain = parseRunning(fields, work.split(FIELD), frames)
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

/** @param {string[]} fields of one request after the other */
function parseOthers (fields) {
  const requests = []
  for (let at = 0; at + REQUEST_FIELDS <= fields.length; at += REQUEST_FIELDS) {
    const request = parseRequest(fields.slice(at, at + REQUEST_FIELDS), [])
    if (request !== null && Number.isInteger(request.id)) requests.push(request)
  }
  return requests
}

/**
 * The request and the work that were certainly running.
 * @param {string[]} fields @param {string[]} workFields @param {Frame[]} frames
 */
function parseRunning (fields, workFields, frames) {
  const request = parseRequest(fields, frames)
  return { request, work: parseWork(workFields, request) }
}

/** The oldest open request and work, which may have run. @param {string[]} fields @param {string[]} workFields */
function parseOpen ([count, ...fields], workFields) {
  const { request, work } = parseRunning(fields, workFields, [])
  const doubt = { exact: false, ...(Number(count) > 1 && { among: Number(count) }) }
  return { request: request && { ...request, ...doubt }, work: work && { ...work, ...doubt } }
}

/**
 * The innermost work: named work, else the request, else the active span. If the work or request has ended and the span
 * has not, the span counts: a pool's connection, say, still carries the request that opened it.
 * @param {string[]} fields @param {RequestContext | null} request @returns {WorkContext | null}
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
  const { method, route, traceId, ...rest } = request
  const id = `${request.id}`
  return { kind: 'request', ...rest, name: `${method} ${route}`, id, rootId: id, parent: null, attributes: {}, ...span }
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

/** Whether a frame is the function in Node.js that hands a new request to its server. @param {Frame} frame */
function isArrival ({ function: name, file }) {
  return (file === 'node:_http_server' && name === 'parserOnIncoming') ||
    (file === 'node:internal/http2/compat' && name === 'onServerStream')
}

/** @param {string} text @returns {Frame & { start?: string }} */
function parseFrame (text) {
  const isAwaiting = text.startsWith(AWAITING)
  const [line, column, file, name, ...rest] = text.slice(isAwaiting ? AWAITING.length : 0).split(FIELD)
  return {
    function: name ? name + rest.join('') : null,
    file: file || null,
    line: Number(line) || null,
    column: Number(column) || null,
    ...(!name && rest.length > 0 && { start: rest[0] }),
    ...(isAwaiting && { async: true })
  }
}

/** A line of a stack as V8 writes it: `at async name (place)` or `at place`. */
const WRITTEN = /^ {4}at (?:(?:async |new )*(.*?) \((.*)\)|(.*))$/
const AWAITED = '    at async '
/** A place: a file, line and column. For code of an eval, where that was made, and its own line and column. */
const PLACE = /^(eval at .*), .*?:(\d+):(\d+)$|^(?:async )?(.+):(\d+):(\d+)$/

/** A stack that V8 wrote, without the three innermost frames, which are the probe's. @param {string} text */
function parseStack (text) {
  return text.split('\n').filter((line) => WRITTEN.test(line)).slice(3).map(parseWritten)
}

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
 * @property {number} atMs monotonic
 * @property {number} idleMs as in BeatSlots
 * @property {number} beats as in BeatSlots
 * @property {number | null} inspectorPort at which debuggers can connect; null while it is closed
 * @property {number | null} putAtMs when the question was put again, null if it was put once
 * @property {number | null} [cpuMs] of its thread so far; null if Node.js does not report it
 * @property {RequestContext | null} request
 * @property {WorkContext | null} [work] the innermost
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
exports.ProbeChannel = ProbeChannel
