'use strict'

const { causeOfPart } = require('../tables/causes')
const { isFlag, isText, listOf, objectOf, orMissing, orNull } = require('../util/validators')

/**
 * @import { BlockRecord } from '../types'
 * @import { Validator } from '../util/validators'
 */

/** A record for lists and events, with its heaviest stack only. @param {BlockRecord} record */
exports.summaryOf = (record) => ({
  ...record,
  stacks: record.stacks.slice(0, 1),
  ...(record.profile && { profile: { ...record.profile, stacks: record.profile.stacks.slice(0, 1) } })
})

const ID = /^[\w.-]{1,64}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const isNumber = /** @type {Validator} */ (Number.isFinite)
/** @type {Validator} */
const isCount = (value) => Number.isSafeInteger(value) && value >= 0
/** @type {Validator} */
const isTime = (value) => isText(value) && TIME.test(value) && Number.isFinite(Date.parse(value))
/** A line or column: a whole number, negative at the start of some scripts of node:vm. */
const isPlace = /** @type {Validator} */ (Number.isSafeInteger)
const isReading = orMissing(isNumber)

const frame = { function: orNull(isText), file: orNull(isText), line: orNull(isPlace), column: orNull(isPlace) }
const isFrame = objectOf(frame)
const isExactFrame = objectOf({ ...frame, exact: isFlag, because: orMissing(listOf(isText)) })
const areStacks = listOf(objectOf({ count: isCount, weightMs: isNumber, frames: listOf(isFrame) }))

const areShares = orMissing(listOf(objectOf({ ...frame, share: isNumber })))

const isMemory = objectOf({
  heapUsedBytes: isReading,
  heapFreedBytes: isReading,
  heapLimitBytes: isReading,
  externalBytes: isReading,
  allocatedBytesPerSecond: isReading,
  isHeapFull: orMissing(isFlag),
  heapProfile: orMissing(objectOf({
    block: isText, isHeapFull: isFlag, allocatedBy: areShares, keptBy: areShares
  })),
  rssBytes: isReading,
  cgroupBytes: isReading,
  cgroupLimitBytes: isReading,
  majorFaults: isReading,
  memoryStallMs: isReading,
  ioStallMs: isReading
})

const isEvidence = objectOf({
  cpuMs: isReading,
  gcMs: isReading,
  runQueueMs: isReading,
  throttledMs: isReading,
  stolenMs: isReading,
  answerMs: isReading,
  nativeMs: isReading,
  ownMs: isReading,
  watchdogGapMs: isReading,
  requests: isReading,
  memory: orMissing(isMemory),
  sleptIn: orMissing(objectOf({ call: isText, target: orNull(isText), text: isText, share: isNumber }))
})

const areParts = objectOf(Object.fromEntries(Object.keys(causeOfPart).map((part) => [part, isNumber])))

const isSize = orMissing(isCount)

/** Fields that say how certain it is that the work ran. */
const doubt = { exact: orMissing(isFlag), among: orMissing(isCount) }

const isRequest = objectOf({
  method: isText,
  route: isText,
  startedAt: isTime,
  ended: orMissing(isFlag),
  traceId: orMissing(isText),
  bytesIn: isSize,
  bytesOut: isSize,
  ...doubt
})

const work = { kind: isText, name: isText, id: isText }
const isWork = objectOf({
  ...work,
  parent: orNull(objectOf(work)),
  startedAt: orNull(isTime),
  attributes: objectOf({}),
  traceId: orMissing(isText),
  spanId: orMissing(isText),
  sampled: orMissing(isFlag),
  ended: isFlag,
  ...doubt
})

const isShare = objectOf({
  work: orNull(isWork), request: orNull(isRequest), frame: orNull(isExactFrame), weightMs: isNumber
})

/**
 * Whether every field that is read is valid, so that no list, page or export throws on it. The value may come from a
 * file, an endpoint or a worker of another version: a cause may be unknown, other fields are ignored, and a field that
 * a later version adds has to be orMissing. @type {(value: any) => value is BlockRecord}
 */
exports.isRecord = /** @type {any} */ (objectOf({
  id: (value) => isText(value) && ID.test(value),
  pid: isCount,
  thread: isText,
  threadId: isCount,
  startedAt: isTime,
  durationMs: isNumber,
  uncertaintyMs: isNumber,
  thresholdMs: isReading,
  ongoing: isFlag,
  startup: isFlag,
  cause: isText,
  excused: orMissing(isFlag),
  parts: orMissing(areParts),
  evidence: isEvidence,
  frame: orNull(isExactFrame),
  leaf: orNull(isFrame),
  package: orMissing(objectOf({ name: isText, version: orNull(isText), bugs: orNull(isText) })),
  packageIssue: orMissing(objectOf({
    package: isText,
    version: isText,
    id: isText,
    link: isText,
    text: isText,
    fixed: orMissing(isText),
    cure: orMissing(isText)
  })),
  change: orMissing(objectOf({ kind: isText, exact: orMissing(isFlag), text: isText })),
  samples: isCount,
  stacks: areStacks,
  work: orMissing(isWork),
  request: orNull(isRequest),
  origin: orMissing(objectOf({ type: isText, durationMs: isNumber, frame: isFrame, frames: listOf(isFrame) })),
  profile: orMissing(objectOf({
    samples: isCount, call: orNull(isText), builtin: orMissing(isFlag), stacks: areStacks
  })),
  query: orMissing(objectOf({
    text: isText, durationMs: isNumber, count: isCount, totalMs: isNumber, more: orMissing(isFlag)
  })),
  probable: orMissing(objectOf({ call: isText, line: isCount })),
  generated: orMissing(isFrame),
  calledFrom: orMissing(isExactFrame),
  callbacks: orMissing(listOf(objectOf({ kind: isText, frame: isFrame, work: orNull(isText), weightMs: isNumber }))),
  works: orMissing(listOf(isShare)),
  allowed: orMissing(isText)
}))

/** The record in a line of a file, null if the line is cut short or something else. @param {string} line */
exports.recordIn = (line) => {
  try {
    const record = JSON.parse(line)
    return exports.isRecord(record) ? record : null
  } catch {
    return null
  }
}
