'use strict'

const { nowMs } = require('../../util/clock')
const { AWAITING, CUT, FIELD, LINE, NUMBER, rows, writeRow } = require('../../bridge/probe')
const { threadCpuMs } = require('../../util/usage')
const { activeSpan } = require('../work/http/trace-id')
const { writeHeap } = require('./heap')
const { fileOf, noteStack, readNote, restoreError } = require('./call-sites')
const { loopTime } = require('./loop-time')

/**
 * @import { Bridge } from '../../bridge/memory'
 * @import { RequestContext } from '../work/http/context'
 * @import { ActiveSpan } from '../work/http/trace-id'
 * @import { Work } from '../work/work'
 * @import { Works } from '../work/works'
 */

// The probe runs at a V8 interrupt, on top of the application's code. Functions that an application may replace are
// bound at load where possible; errors of all other code are caught.
const slice = Function.prototype.call.bind(String.prototype.slice)
const startsWith = Function.prototype.call.bind(String.prototype.startsWith)

/** Number of frames that are written, the innermost. */
const FRAMES = 64
/**
 * Number of frames that are taken. The caller of a callback is outermost, and nested middleware is often more than 64
 * deep. Taking 256 instead of 64 costs 0.1 to 0.4 ms, and only if the stack is that deep.
 */
const DEPTH = 256
const NODE = 'node:'
const NAME_CHARS = 200
const PATH_CHARS = 1024
/** Limit above any path. The name of a `data:` URL module is its whole text, which would leave no room for frames. */
const FILE_CHARS = 4096
/** Limit for a stack that V8 formatted itself. */
const STACK_CHARS = FRAMES * 512
const { HEAD, REQUEST, SPAN, WORK, FRAME } = rows
const NO_REQUEST = writeRow(REQUEST, {})
const NO_SPAN = writeRow(SPAN, {})

/** @returns {NodeJS.CallSite[] | string} */
function callSites () {
  return readNote(noteStack(callSites, DEPTH))
}

/** @param {NodeJS.CallSite[] | string} sites @param {(file: string) => void} onFile */
function writeFrames (sites, onFile) {
  if (typeof sites === 'string') return slice(sites, 0, STACK_CHARS) + LINE
  let text = ''
  const outermost = outermostIn(sites)
  // The innermost three are our own two and the inspector's expression that called them.
  for (let i = 3; i < sites.length; i++) {
    if (i >= FRAMES && i < outermost) continue
    const site = sites[i]
    const name = site.getFunctionName()
    const file = fileOf(site)
    if (file) onFile(file)
    text += (site.isAsync() ? AWAITING : '') + writeRow(FRAME, {
      line: site.getLineNumber(),
      column: site.getColumnNumber(),
      file: file && slice(file, 0, FILE_CHARS),
      name: name && slice(name, 0, NAME_CHARS)
    }) + (name ? '' : startOf(site)) + LINE
  }
  return sites.length === DEPTH ? text + CUT : text
}

/** Place that distinguishes functions without a name. @param {NodeJS.CallSite} site */
function startOf (site) {
  const line = site.getEnclosingLineNumber()
  return line ? `${FIELD}${line}:${site.getEnclosingColumnNumber()}` : ''
}

/** Index of the outermost function that is not Node's own. @param {NodeJS.CallSite[]} sites */
function outermostIn (sites) {
  let i = sites.length === DEPTH ? DEPTH : sites.length - 1
  while (i > FRAMES && i < DEPTH && (sites[i].isAsync() || startsWith(fileOf(sites[i]) ?? NODE, NODE))) i--
  return i
}

/** @param {{ context: RequestContext | undefined, isCertain: boolean }} current @param {ActiveSpan | null} span */
function writeRequest ({ context, isCertain }, span) {
  if (context === undefined) return NO_REQUEST
  try {
    const { id, startedAtMs, method, template, traceId, isEnded, bytes } = context
    const route = plain(template, PATH_CHARS)
    return writeRow(REQUEST, {
      id, startedAtMs, method, traceId: span?.traceId ?? traceId, isCertain, isEnded, route, ...bytes
    })
  } catch {
    return NO_REQUEST // the application has made something else of its request
  }
}

/** @param {ReturnType<Works['current']>['open']} open if nothing is followed, oldest first */
function writeOpen (open) {
  if (open === undefined) return LINE
  const [oldest] = open
  const work = 'kind' in oldest ? oldest : undefined
  const context = 'kind' in oldest ? oldest.request : oldest
  return open.size + FIELD + writeRequest({ context, isCertain: true }, null) + LINE + NO_SPAN + writeWork(work)
}

/** @param {RequestContext[]} contexts open ones: the thread may be in one's handler */
function writeOthers (contexts) {
  let text = ''
  for (let i = 0; i < contexts.length; i++) {
    text += writeRequest({ context: contexts[i], isCertain: true }, null) + FIELD
  }
  return text
}

/** @param {Work | undefined} work */
function writeWork (work) {
  if (work === undefined) return ''
  try {
    const { id, rootId, kind, startedAtMs, isEnded, parent, name, attributes } = work
    let text = FIELD + writeRow(WORK, {
      id,
      rootId,
      kind,
      startedAtMs,
      isEnded,
      parentId: parent?.id,
      parentKind: parent?.kind,
      parentName: plain(parent?.name ?? ''),
      name: plain(name)
    })
    for (const key in attributes) {
      const value = attributes[key]
      text += FIELD + plain(key) + FIELD + (typeof value === 'number' ? NUMBER : '') + FIELD + plain(`${value}`)
    }
    return text
  } catch {
    return '' // the application has made something else of the request that the work is part of
  }
}

/** @param {ActiveSpan | null} span */
function writeSpan (span) {
  if (span === null) return NO_SPAN
  const { spanId, isSampled, traceId, name } = span
  return writeRow(SPAN, { spanId, isSampled, traceId, name: plain(name) })
}

/** A name without the characters that would end its field. @param {string} name */
function plain (name, mostChars = NAME_CHARS) {
  const short = slice(name, 0, mostChars)
  if (!short.includes(FIELD) && !short.includes(LINE)) return short
  return short.split(FIELD).join(' ').split(LINE).join(' ')
}

exports.restoreError = restoreError

/**
 * Makes the function that the watchdog evaluates on the host thread in the middle of a block. The function writes the
 * stack, the request and work, the loop's idle time, the CPU time and the heap into shared memory.
 * @param {Bridge} bridge @param {Works['current']} current
 * @param {(file: string) => void} [onFile] called with the file of each frame
 */
exports.createProbe = ({ answer, beat, heap }, current, onFile = () => {}) =>
  /** @param {string} [inspectorUrl] `inspector.url()` of this thread @param {number} [putAtMs] of a second question */
  function probe (inspectorUrl, putAtMs) {
    const { question } = answer
    if (question === 0) return
    const cpuMs = threadCpuMs()
    const head = writeRow(HEAD, {
      atMs: nowMs(),
      idleMs: loopTime().idle,
      beats: beat.beats,
      inspectorUrl,
      putAtMs,
      cpuMs: cpuMs >= 0 ? cpuMs : null
    })
    const span = activeSpan()
    const now = current()
    const work = writeSpan(span) + writeWork(now.work)
    const open = writeOpen(now.open) + LINE + writeOthers(now.newest ?? [])
    writeHeap(heap)
    const running = writeRequest(now, span) + LINE + work + LINE + open
    answer.answer(question, head + FIELD + running + LINE + stack(onFile))
  }

/** No frames if Error is frozen; the rest of the answer is still of use. @param {(file: string) => void} onFile */
function stack (onFile) {
  try {
    return writeFrames(callSites(), onFile)
  } catch {
    return ''
  }
}
