'use strict'

const { setImmediate } = require('node:timers/promises')
const { frameText } = require('../../util/place-text')
const { sentenceOf, workOf } = require('../../util/sentence')
const { shownStacks } = require('../../util/shown-stacks')
const { US_PER_MS } = require('../../util/units')
const { version } = require('../../../package.json')

/** @import { BlockRecord } from '../../types' */

/** Events between two polls of the loop: some milliseconds of work. */
const EVENTS_AT_ONCE = 2000
/** Tracks of an event loop. */
const TRACKS = {
  blocks: { tid: 1, name: 'event loop: blocks' },
  turns: { tid: 2, name: 'event loop: turns above 5 ms' },
  gc: { tid: 3, name: 'garbage collection' }
}
/** The track of a worker thread's blocks is this and the thread's id. */
const WORKER_TID = 1000

/**
 * @typedef {{ startMs: number, durationMs: number }} Span monotonic
 * @typedef {object} Trace what a timeline is made of
 * @property {number} pid @property {string} title of the process
 * @property {number} wallOffsetMs from monotonic time to Unix time
 * @property {number} fromMs of the range, monotonic @property {number} toMs @property {number} completeSinceMs
 * @property {(Span & { name: string, status: number | string, waitedMs: number })[]} requests
 * @property {(Span & { name: string, kind: string, waitedMs: number })[]} works
 * @property {Span[]} turns @property {(Span & { name: string })[]} pauses
 * @property {{ name: string, atMs: number, values: Record<string, number | null> }[]} counters
 * @property {BlockRecord[]} blocks
 *
 * @typedef {object} TraceEvent of the Trace Event format
 * @property {string} name @property {'X' | 'b' | 'e' | 'C' | 'M'} ph @property {number} pid @property {number} tid
 * @property {number} [ts] Unix time in microseconds @property {number} [dur] microseconds
 * @property {string} [cat] @property {string} [id] of an asynchronous slice @property {Record<string, unknown>} [args]
 */

/** @param {number} ms */
const micros = (ms) => Math.round(ms * US_PER_MS)

/** @param {number} ms */
const rounded = (ms) => Math.round(ms * 100) / 100

/** @param {Trace} trace @param {Span} span @param {Pick<TraceEvent, 'name' | 'cat' | 'id' | 'args'>} what */
function asynchronous ({ pid, wallOffsetMs }, { startMs, durationMs }, { args, ...what }) {
  const own = { ...what, pid, tid: 0 }
  const ts = micros(startMs + wallOffsetMs)
  return /** @type {TraceEvent[]} */ ([
    { ...own, ph: 'b', ts, args },
    { ...own, ph: 'e', ts: ts + Math.max(1, micros(durationMs)) }
  ])
}

/** @param {Trace} trace @param {Span} span @param {Pick<TraceEvent, 'name' | 'cat' | 'tid' | 'args'>} what */
const slice = ({ pid, wallOffsetMs }, { startMs, durationMs }, what) => /** @type {TraceEvent} */ ({
  ...what, ph: 'X', pid, ts: micros(startMs + wallOffsetMs), dur: Math.max(1, micros(durationMs))
})

/** @param {Pick<BlockRecord, 'threadId'>} record */
const tidOf = ({ threadId }) => threadId === 0 ? TRACKS.blocks.tid : WORKER_TID + threadId

/** @param {BlockRecord} record */
function blockEvent (record) {
  const { pid, id, startedAt, durationMs, cause, frame, ongoing } = record
  return /** @type {TraceEvent} */ ({
    name: frame === null ? `block (${cause})` : `${frame.function ?? '(anonymous)'} (${cause})`,
    cat: 'block',
    ph: 'X',
    pid,
    tid: tidOf(record),
    ts: micros(Date.parse(startedAt)),
    dur: Math.max(1, micros(durationMs)),
    args: {
      id,
      what: sentenceOf(record),
      cause,
      ongoing,
      line: frame === null ? null : `${frame.exact ? '' : '≈ '}${frameText(frame)}`,
      work: workOf(record),
      stack: shownStacks(record).stacks[0]?.frames.map(frameText) ?? []
    }
  })
}

/** Events that name processes and tracks. @param {Trace} trace */
function tracksOf ({ pid: ownPid, title, blocks }) {
  /** @type {Map<string, { pid: number, tid: number, name: string }>} */
  const tracks = new Map()
  const add = (/** @type {number} */ pid, /** @type {number} */ tid, /** @type {string} */ name) =>
    tracks.set(`${pid} ${tid}`, { pid, tid, name })
  for (const { tid, name } of Object.values(TRACKS)) add(ownPid, tid, name)
  for (const block of blocks) {
    const { pid, threadId, thread } = block
    add(pid, tidOf(block), threadId === 0 ? TRACKS.blocks.name : `worker thread ${threadId} (${thread}): blocks`)
  }
  const pids = new Set([...tracks.values()].map(({ pid }) => pid))
  return /** @type {TraceEvent[]} */ ([
    ...[...pids].map((pid) => {
      const name = pid === ownPid ? title : `process ${pid}`
      return { name: 'process_name', ph: 'M', pid, tid: 0, args: { name } }
    }),
    ...[...tracks.values()].flatMap(({ pid, tid, name }) => [
      { name: 'thread_name', ph: 'M', pid, tid, args: { name } },
      { name: 'thread_sort_index', ph: 'M', pid, tid, args: { sort_index: tid } }
    ])
  ])
}

/** None if unmeasured. @param {Trace} trace @param {Trace['counters'][number]} counter @returns {TraceEvent[]} */
function counterEvents ({ pid, wallOffsetMs }, { name, atMs, values }) {
  const measured = Object.entries(values).flatMap(([key, value]) => value === null ? [] : [[key, rounded(value)]])
  if (measured.length === 0) return []
  return [{ name, ph: 'C', pid, tid: 0, ts: micros(atMs + wallOffsetMs), args: Object.fromEntries(measured) }]
}

/** Names of tracks first, then all others by time. @param {Trace} trace @returns {TraceEvent[]} */
exports.eventsOf = (trace) => {
  const events = [
    ...trace.requests.flatMap((each, i) => asynchronous(trace, each, {
      name: each.name,
      cat: 'request',
      id: `request-${i}`,
      args: { status: each.status, blockedMs: rounded(each.waitedMs) }
    })),
    ...trace.works.flatMap((each, i) => asynchronous(trace, each, {
      name: `${each.kind} ${each.name}`,
      cat: each.kind,
      id: `${each.kind}-${i}`,
      args: { blockedMs: rounded(each.waitedMs) }
    })),
    ...trace.turns.map((each) => slice(trace, each, { name: 'turn', cat: 'turn', tid: TRACKS.turns.tid })),
    ...trace.pauses.map((each) => slice(trace, each, { name: each.name, cat: 'gc', tid: TRACKS.gc.tid })),
    ...trace.counters.flatMap((each) => counterEvents(trace, each)),
    ...trace.blocks.map(blockEvent)
  ]
  return [...tracksOf(trace), ...events.sort((a, b) => Number(a.ts) - Number(b.ts))]
}

/**
 * A file for Perfetto and Chrome's DevTools: JSON of the Trace Event format. The watchdog polls the loop between steps.
 * @param {Trace} trace
 */
exports.writeTrace = async (trace) => {
  const parts = []
  for (const part of partsOf(trace)) {
    parts.push(part)
    await setImmediate()
  }
  return parts.join('')
}

/** The text of a trace, in one step. @param {Trace} trace */
exports.traceText = (trace) => [...partsOf(trace)].join('')

/** @param {Trace} trace */
function * partsOf (trace) {
  const events = exports.eventsOf(trace)
  const wall = (/** @type {number} */ ms) => new Date(ms + trace.wallOffsetMs).toISOString()
  const otherData = {
    loopwatch: version,
    node: process.versions.node,
    from: wall(trace.fromMs),
    to: wall(trace.toMs),
    ...(trace.completeSinceMs > trace.fromMs && { completeSince: wall(trace.completeSinceMs) })
  }
  yield `{"displayTimeUnit":"ms","otherData":${JSON.stringify(otherData)},"traceEvents":[\n`
  for (let i = 0; i < events.length; i += EVENTS_AT_ONCE) {
    const some = events.slice(i, i + EVENTS_AT_ONCE).map((event) => JSON.stringify(event)).join(',\n')
    yield i > 0 ? `,\n${some}` : some
  }
  yield '\n]}\n'
}
