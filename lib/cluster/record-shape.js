'use strict'

const { causes } = require('../tables/causes')
const { isFlag, isText, listOf, objectOf, orMissing, orNull } = require('../util/validators')

const ID = /^[\w.-]{1,64}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** @typedef {import('../util/validators').Validator} Shape */

const isNumber = /** @type {Shape} */ (Number.isFinite)
/** @type {Shape} */
const isCount = (value) => Number.isSafeInteger(value) && value >= 0
/** @type {Shape} */
const isTime = (value) => isText(value) && TIME.test(value) && Number.isFinite(Date.parse(value))
/** A script of node:vm may begin at a negative line. */
const isPlace = /** @type {Shape} */ (Number.isSafeInteger)

const frame = { function: orNull(isText), file: orNull(isText), line: orNull(isPlace), column: orNull(isPlace) }
const isFrame = objectOf(frame)
const areStacks = listOf(objectOf({ count: isCount, weightMs: isNumber, frames: listOf(isFrame) }))
const isReading = orMissing(isNumber)

/**
 * Whether what came over the wire is a record (lib/store/record.js) in every field that is read of one: what is
 * shown and exported must not throw on it.
 */
exports.isRecordShaped = objectOf({
  id: (value) => isText(value) && ID.test(value),
  pid: isCount,
  thread: isText,
  threadId: isCount,
  startedAt: isTime,
  durationMs: isNumber,
  uncertaintyMs: isNumber,
  ongoing: isFlag,
  startup: isFlag,
  cause: (value) => isText(value) && Object.hasOwn(causes, value),
  evidence: objectOf({
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
  }),
  frame: orNull(objectOf({ ...frame, exact: isFlag })),
  leaf: orNull(isFrame),
  package: orMissing(objectOf({ name: isText, version: orNull(isText), bugs: orNull(isText) })),
  samples: isCount,
  stacks: areStacks,
  request: orNull(objectOf({ method: isText, route: isText, startedAt: isTime, ended: orMissing(isFlag), traceId: orMissing(isText) })),
  origin: orMissing(objectOf({ type: isText, durationMs: isNumber, frame: isFrame, frames: listOf(isFrame) })),
  profile: orMissing(objectOf({ samples: isCount, call: orNull(isText), stacks: areStacks })),
  probable: orMissing(objectOf({ call: isText, line: isCount })),
  generated: orMissing(isFrame)
})
