'use strict'

const { isFlag, isText, listOf, objectOf, orMissing, orNull } = require('../util/validators')

/**
 * One block of the event loop, as stored, served and logged: plain JSON. Times are milliseconds,
 * wall times ISO 8601 in UTC.
 *
 * @typedef {object} BlockRecord
 * @property {string} id pid and a running number; unique within a process
 * @property {number} pid
 * @property {string} thread `main`, or the name of a worker thread of the application, else its script's
 * @property {number} threadId as in node:worker_threads; 0 = main
 * @property {number | null} worker slot of the cluster worker it comes from, in what a primary lists; null in a process's own records
 * @property {string} startedAt wall time; where ongoing, up to uncertaintyMs late
 * @property {number} durationMs so far, where ongoing
 * @property {number} uncertaintyMs the true duration is at most this far from durationMs
 * @property {boolean} ongoing
 * @property {boolean} startup it began before the loop's first turn, or before it had waited for 20 ms in all, and no request was seen in it: code at the top level, modules being loaded; logged at info
 * @property {import('../tables/causes').Cause} cause provisional where ongoing
 * @property {EvidenceRecord} evidence
 * @property {FrameRecord | null} frame the innermost function of the application that blocked longest, or of a package where the application's had less than a fifth of the time
 * @property {import('../bridge/probe-codec').Frame | null} leaf the innermost function of all
 * @property {PackageRecord | null} [package] the package in `node_modules` whose code was innermost, but for Node's and V8's own, in at
 * least half of the samples' time; null where there is none, or no code is to blame
 * @property {number} samples stacks taken
 * @property {{ count: number, weightMs: number, frames: import('../bridge/probe-codec').Frame[] }[]} stacks equal stacks folded, the ten heaviest
 * @property {RequestRecord | null} request the one that was running longest
 * @property {OriginRecord | null} origin where the operation was created whose callback made most of it; null
 * where that was not tracked (option `origin`), or the operation is Node's own
 * @property {ProfileRecord | null} [profile] what a CPU profile says of it; null where none was taken (option `profile`)
 * @property {import('../bridge/probe-codec').Frame | null} [generated] code made while the application ran (`new Function`, `vm`, a template) in which `frame` spent most of it
 * @property {{ call: string, line: number } | null} [probable] where `frame` is not exact: the one built-in that can take long and stands just before it in the same function
 *
 * @typedef {import('../bridge/probe-codec').Frame & { exact: boolean }} FrameRecord
 * `exact` is false where the stack could only be taken when a native call had returned: it may
 * then name the next line, or the caller, unless a CPU profile has told; and where `compiled` is true
 *
 * @typedef {object} PackageRecord what its package.json says
 * @property {string} name
 * @property {string | null} version
 * @property {string | null} bugs where they are reported: mostly a URL, or a mail address
 *
 * @typedef {object} OriginRecord
 * @property {string} type of the asynchronous resource: Timeout, PROMISE, TCPCONNECTWRAP…
 * @property {number} durationMs of its callback
 * @property {import('../bridge/probe-codec').Frame} frame the innermost function of the application that created it
 * @property {import('../bridge/probe-codec').Frame[]} frames the stack that created it from Node's edge on, at most 20
 *
 * @typedef {object} ProfileRecord of samples that V8 takes by a signal, within native calls as well
 * @property {number} samples
 * @property {string | null} call what `frame` was in: `JSON.parse`, `sort`, `pbkdf2Sync`, `(regular expression)`; null where it was in its own code, or nothing tells
 * @property {{ count: number, weightMs: number, frames: import('../bridge/probe-codec').Frame[] }[]} stacks the ten heaviest; the line of a function is where it
 * begins, of the innermost mostly where it was
 *
 * @typedef {object} RequestRecord
 * @property {string} method
 * @property {string} route template, never the URL
 * @property {string} startedAt wall time
 * @property {boolean} ended it had been answered before: work it left behind, or a resource it opened for others
 * @property {string | null} traceId of the active OpenTelemetry span, else of its traceparent header
 *
 * @typedef {object} EvidenceRecord nulls where this machine does not tell
 * @property {number | null} cpuMs on a CPU
 * @property {number} gcMs in pauses of the garbage collector, 0 where they are not observed (worker threads, gc: 'off')
 * @property {number | null} runQueueMs runnable, waiting for a CPU
 * @property {number | null} throttledMs out of CPU quota
 * @property {number | null} stolenMs a hypervisor ran others on its CPU, as far as nothing else explains the time; null where it was too short to be read twice
 * @property {number | null} answerMs median time the host took to answer an interrupt
 * @property {number} nativeMs inside native calls, as far as samples tell
 * @property {number} watchdogGapMs the watchdog did not run either
 * @property {number} requests distinct ones seen in samples
 * @property {boolean} debugger an inspector was open, so nothing was sampled
 */

const ROUNDING = 10

/**
 * A record as lists and events carry it: with its heaviest stack only.
 * @param {BlockRecord} record
 * @returns {BlockRecord}
 */
exports.summaryOf = (record) => ({
  ...record,
  stacks: record.stacks.slice(0, 1),
  ...(record.profile && { profile: { ...record.profile, stacks: record.profile.stacks.slice(0, 1) } })
})

/** @typedef {import('../util/validators').Shape} Shape */

const ID = /^[\w.-]{1,64}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const isNumber = /** @type {Shape} */ (Number.isFinite)
/** @type {Shape} */
const isCount = (value) => Number.isSafeInteger(value) && value >= 0
/** @type {Shape} */
const isTime = (value) => isText(value) && TIME.test(value) && Number.isFinite(Date.parse(value))
/** A line or column: a whole number, negative at the begin of some scripts of node:vm. */
const isPlace = /** @type {Shape} */ (Number.isSafeInteger)
const isReading = orMissing(isNumber)

const frame = { function: orNull(isText), file: orNull(isText), line: orNull(isPlace), column: orNull(isPlace) }
const isFrame = objectOf(frame)
const areStacks = listOf(objectOf({ count: isCount, weightMs: isNumber, frames: listOf(isFrame) }))

const isEvidence = objectOf({
  cpuMs: isReading,
  gcMs: isReading,
  runQueueMs: isReading,
  throttledMs: isReading,
  stolenMs: isReading,
  answerMs: isReading,
  nativeMs: isReading,
  watchdogGapMs: isReading,
  requests: isReading,
  debugger: isFlag
})

const isRequest = objectOf({
  method: isText, route: isText, startedAt: isTime, ended: orMissing(isFlag), traceId: orMissing(isText)
})

/**
 * Whether a value is a record in every field that somebody reads: what a list, a page or an export shows must not
 * throw on it. The value may come from a file, an endpoint or a worker of another version. So a cause may be
 * unknown here, other fields are ignored, and a field that a later version adds has to be orMissing.
 * @type {(value: any) => value is BlockRecord}
 */
exports.isRecord = /** @type {any} */ (objectOf({
  id: (value) => isText(value) && ID.test(value),
  pid: isCount,
  thread: isText,
  threadId: isCount,
  startedAt: isTime,
  durationMs: isNumber,
  uncertaintyMs: isNumber,
  ongoing: isFlag,
  startup: isFlag,
  cause: isText,
  evidence: isEvidence,
  frame: orNull(objectOf({ ...frame, exact: isFlag })),
  leaf: orNull(isFrame),
  package: orMissing(objectOf({ name: isText, version: orNull(isText), bugs: orNull(isText) })),
  samples: isCount,
  stacks: areStacks,
  request: orNull(isRequest),
  origin: orMissing(objectOf({ type: isText, durationMs: isNumber, frame: isFrame, frames: listOf(isFrame) })),
  profile: orMissing(objectOf({ samples: isCount, call: orNull(isText), stacks: areStacks })),
  probable: orMissing(objectOf({ call: isText, line: isCount })),
  generated: orMissing(isFrame)
}))

/** Milliseconds to a tenth. @param {number} ms */
exports.roundMs = (ms) => Math.round(ms * ROUNDING) / ROUNDING
