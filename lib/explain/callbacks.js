'use strict'

const { LEAST_SHARE, nameOf, weightOf } = require('./fold')
const { ownerOf } = require('../util/code-owner')

/**
 * @import { CallbackRecord, Frame } from '../types'
 * @import { Stack } from './fold'
 * @import { FrameTable } from './source/frame-table'
 */

/** Most callbacks that are listed. */
const MOST = 5

/** Functions of Node.js that run callbacks (outermost in a stack), and what they run. @type {Record<string, string>} */
const KINDS = {
  listOnTimeout: 'timer',
  processTimers: 'timer',
  processImmediate: 'immediate',
  parserOnIncoming: 'request',
  onServerStream: 'request',
  runMicrotasks: 'continuation',
  processTicksAndRejections: 'continuation'
}

/** Functions of Node.js that call listeners and completed operations, and the name of the event or module. */
const EVENTS = /** @type {Record<string, string>} */ ({
  addChunk: 'data',
  flow: 'data',
  endReadableNT: 'end',
  onFinish: 'finish',
  emitCloseNT: 'close',
  onconnection: 'connection',
  parserOnIncomingClient: 'response',
  onexit: 'exit',
  exithandler: 'exit',
  '[nodejs.internal.kHybridDispatch]': 'message',
  onlookup: 'lookup',
  oncomplete: 'fs',
  ondone: 'crypto'
})

/**
 * A turn of the loop runs all callbacks that are due. Those of one function for the same work count as one.
 * @param {Stack[]} stacks all of the block @param {FrameTable} [table] of their frames
 * @returns {CallbackRecord[] | undefined} heaviest first, if several ran
 */
exports.callbacksOf = (stacks, table) => {
  /** @type {Map<string, CallbackRecord>} */
  const callbacks = new Map()
  for (const { frames, works, cut } of stacks) {
    const frame = cut ? undefined : frames.findLast((each) => ownerOf(each) !== 'node')
    if (frame === undefined || ownerOf(frame) === 'own') continue
    const { kind, event } = invokerOf(frames)
    for (const { weightMs, ...running } of works) {
      const name = nameOf(running) || null
      const key = [kind, event, frame.file, table?.functionOf(frame) ?? frame.function, name].join('\n')
      const known = callbacks.get(key) ?? { kind, ...(event && { event }), frame, work: name, weightMs: 0 }
      callbacks.set(key, { ...known, weightMs: known.weightMs + weightMs })
    }
  }
  const all = [...callbacks.values()]
  const leastMs = LEAST_SHARE * weightOf(all)
  const listed = all.filter(({ weightMs }) => weightMs > leastMs).sort((a, b) => b.weightMs - a.weightMs).slice(0, MOST)
  if (listed.length < 2) return undefined
  return listed.map((each) => ({ ...each, weightMs: Math.round(each.weightMs * 10) / 10 }))
}

/** What ran a callback, judged by Node's own functions around it. @param {Frame[]} frames innermost first */
function invokerOf (frames) {
  const around = frames.slice(frames.findLastIndex((each) => ownerOf(each) !== 'node') + 1)
  const first = (/** @type {Record<string, string>} */ names) =>
    around.map(({ function: name }) => names[`${name}`]).find((found) => found !== undefined)
  // A request is an event of its server, and its end one of the queue of nextTick.
  const kind = first(KINDS) ?? 'event'
  const event = kind === 'request' ? undefined : first(EVENTS)
  return { kind: event === undefined ? kind : 'event', event }
}
