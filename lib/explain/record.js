'use strict'

const path = require('node:path')
const { callbacksOf, sharesOf, withoutGuess, workOf } = require('./work')
const { verdictOf } = require('./cause')
const { listed, merged, ofMost, withoutEntered, workIn } = require('./fold')
const { awaitingFrame, blame, generatedIn, isSame, leaf, weightOf } = require('./frame')
const { packageIssueIn } = require('./advice/package-issues')
const { folderAtFault, samplesOf } = require('./package')
const { isHeldUp } = require('./place/place')
const { partsOf } = require('./parts')
const { withProbableCall } = require('./profile/probable-call')
const { withPlace } = require('./profile/profiled')
const { causes, isExcused, isOwnBlock, ownCauseOf } = require('../tables/causes')
const { ownerOf } = require('../util/code-owner')
const { median, roundMs } = require('../util/statistics')

/**
 * @import { BlockRecord, EvidenceRecord, Frame, FrameRecord, MemoryRecord } from '../types'
 * @import { OriginRecord, RequestContext, SleptIn, StackRecord, WorkContext } from '../types'
 * @import { WorkKind } from '../types'
 * @import { Evidence } from './parts'
 * @import { Running, Stack } from './fold'
 * @import { CpuProfile } from './profile/cpu-profile'
 * @import { Measured } from './profile/profiled'
 * @import { Sources } from './profile/profiled-stacks'
 * @import { FrameTable } from './source/frame-table'
 */

const OWN_PACKAGE = path.join(__dirname, '..', '..')

/**
 * @typedef {{ kind: WorkKind, name: string, id: string, startedAtMs: number }} ThreadWork
 * @typedef {'cpuMs' | 'runQueueMs' | 'throttledMs' | 'stolenMs' | 'machineIdleMs' | 'preemptions'} Counter
 * @typedef {object} Span of a block by a monotonic clock, ms
 * @property {number} startMs @property {number} endMs @property {number} durationMs @property {number} uncertaintyMs
 * @property {number} busyMs without the time of the agent @property {boolean} ongoing
 * @typedef {object} Facts what is known of a block: plain data, which can be written down and explained again
 * @property {Pick<BlockRecord, 'id' | 'pid' | 'thread' | 'threadId' | 'startup'>} block
 * @property {Span} span @property {number} thresholdMs @property {number} wallMs the wall clock at the clock's zero
 * @property {Pick<Evidence, Counter | 'gcCpuMs' | 'gcHeldMs' | 'nativeCpuMs'>} kernel
 * @property {Stack[]} stacks by the answers to interrupts @property {number} samples how many
 * @property {{ top: RequestContext | null, distinct: number, topShare: number, longestRunMs: number }} requests
 * @property {number[]} answersMs how long the first answers took
 * @property {number} nativeMs for which native calls delayed answers
 * @property {number} runningMs for which answers came from running JavaScript
 * @property {number} gcMs @property {number} watchdogGapMs in which the watchdog itself did not run
 * @property {number} ownMs of the agent, in the block @property {Frame | null} ownFrame where the agent was seen last
 * @property {RequestContext[]} others requests that were open
 * @property {ThreadWork | null} threadWork what a whole worker thread works on
 * @property {OriginRecord | null} origin
 * @property {string | null} allowed why it was allowed to block
 * @property {SleptIn | null} sleptIn @property {MemoryRecord | null} memory
 * @property {CpuProfile | null} [profile] of its time, null if none was taken,
 * undefined if it is too early or the thread has none
 * @typedef {object} Code what is known of the application's code
 * @property {FrameTable} table of the frames
 * @property {(folder: string) => BlockRecord['package']} packageIn
 * @property {() => Sources} sources
 * @typedef {ReturnType<typeof shownBy>} StackView
 */

/**
 * The record of a block, from all facts about it. `workIds` are the ids of the work that ran longest and of what
 * that is part of: the block does not delay these. None if several may have been running, as each mostly waited.
 * @param {Facts} facts @param {Code} code @returns {{ record: BlockRecord, workIds: number[] }}
 */
exports.recordOf = (facts, code) => {
  const { table } = code
  const shown = shownBy(facts, table)
  const evidence = evidenceOf(facts)
  const record = measured(facts, evidence, shown)
  const sure = (/** @type {FrameRecord | null} */ frame) =>
    frame && { ...frame, exact: frame.exact && !record.excused && !isHeldUp(record) }
  const awaits = sure(shown.awaits)
  const { profile } = facts
  const sources = profile === undefined ? withoutText(table) : code.sources()
  const { record: sampled, stacks: profiled } = withPlace(record, shown.stacks, profile ?? null, sources)
  // The rest of the time is the application's, which is less.
  const isAwaited = awaits?.exact && sampled.frame?.exact === false && ownerOf(sampled.frame) === 'application'
  const located = { ...withProbableCall(sampled, sources.lines), ...(isAwaited && { frame: null }) }
  const verdict = verdictOf(evidence, sampled.parts)
  const placed = { ...located, ...verdict, frame: verdict.excused ? sure(located.frame) : located.frame }
  const hints = {
    passesOn: (/** @type {Frame} */ frame) => table.passesOn(frame),
    routesOf: (/** @type {Frame} */ frame) => table.routesOf(frame),
    others: facts.others,
    profiled: placed.profile?.stacks
  }
  const running = workOf(shown.stacks, placed.frame, hints)
  const works = sharesOf(shown.stacks, hints, running, placed.frame)?.map(({ running: each, frame, weightMs }) => ({
    ...workRecords(each, null, facts),
    frame: frame && sure(table.named(frame)),
    weightMs: roundMs(weightMs)
  }))
  const folder = folderAtFault(shown.stacks, placed.profile, profiled)
  // A thread's profile may lack the function of the application that a pool called.
  const isFolderSure = folder !== null && (facts.block.threadId === 0 || placed.frame !== null)
  const owner = isFolderSure && !isExcused(placed) ? code.packageIn(folder) : null
  const packageIssue = owner && packageIssueIn(samplesOf(shown.stacks, placed.profile, profiled), code.packageIn)
  const isCalled = placed.frame === null || ownerOf(placed.frame) !== 'application'
  const whole = {
    ...withNames({ ...placed, stacks: listed(shown.answers, isOwnBlock(placed)) }, table),
    ...workRecords(running, facts.threadWork, facts),
    ...(works && { works }),
    generated: generatedIn(shown.stacks, placed.frame) ?? generatedIn(profiled, placed.frame),
    calledFrom: isCalled && awaits ? table.named(awaits) : null,
    package: owner,
    ...(packageIssue && { packageIssue })
  }
  return { record: isOwnBlock(whole) ? ofAgent(whole, facts, code) : whole, workIds: workIdsOf(running) }
}

/** Stacks, requests and frames that the samples show. @param {Facts} facts @param {Code['table']} table */
function shownBy ({ stacks: sampled, requests }, table) {
  const again = (/** @type {Frame} */ frame) => table.again(frame)
  const answers = sampled.map(withoutGuess).map((stack) =>
    ({ ...stack, frames: stack.frames.map(again), ...(stack.awaiting && { awaiting: stack.awaiting.map(again) }) }))
  const stacks = merged(answers.map(withoutEntered))
  const { work, request } = workIn(stacks)
  return {
    answers,
    stacks,
    blamed: blame(ofMost(stacks, stacks), (frame) => table.passesOn(frame), weightOf(stacks)),
    innermost: leaf(stacks),
    callbacks: callbacksOf(stacks, table),
    awaits: awaitingFrame(stacks),
    isFirst: requests.top === null && work === null && request === null
  }
}

/** @param {Facts} facts @returns {Evidence} */
function evidenceOf (facts) {
  const { kernel, span, gcMs, nativeMs, watchdogGapMs, requests, samples, runningMs, thresholdMs } = facts
  return {
    ...kernel,
    ...span,
    gcMs,
    nativeMs: Math.min(span.durationMs, nativeMs),
    watchdogGapMs,
    runningMs,
    thresholdMs,
    samples,
    requests: requests.distinct,
    topRequestShare: requests.topShare,
    longestRunMs: requests.longestRunMs
  }
}

/**
 * Everything but the line and the work. Its stacks are those that decide. The cause is that of what the application
 * did: this is what a place explains.
 * @param {Facts} facts @param {Evidence} evidence @param {StackView} shown
 * @returns {Measured}
 */
function measured (facts, evidence, { blamed, isFirst, innermost, stacks, callbacks }) {
  const { block, span, origin, allowed, samples } = facts
  const parts = partsOf(evidence)
  const verdict = verdictOf(evidence, parts)
  const cause = ownCauseOf({ ...verdict, parts, durationMs: span.durationMs })
  return {
    ...block,
    worker: null,
    // In progress: the latest time at which it can have begun. Ended: its true start.
    startedAt: wallTimeOf(facts, span.startMs),
    durationMs: roundMs(span.durationMs),
    uncertaintyMs: roundMs(span.uncertaintyMs),
    ongoing: span.ongoing,
    // A process that answers requests has started up.
    startup: block.startup && isFirst,
    cause,
    excused: verdict.excused,
    parts,
    evidence: evidenceRecord(facts, evidence, cause),
    frame: blamed,
    leaf: innermost,
    samples,
    stacks: listed(stacks),
    ...(callbacks && { callbacks }),
    work: null,
    request: null,
    origin,
    profile: null,
    allowed
  }
}

/**
 * @param {Facts} facts @param {Evidence} evidence @param {BlockRecord['cause']} cause
 * @returns {EvidenceRecord}
 */
function evidenceRecord ({ answersMs, requests, sleptIn, memory, ownMs }, evidence, cause) {
  const { cpuMs, gcMs, runQueueMs, throttledMs, stolenMs, nativeMs, watchdogGapMs } = evidence
  return {
    cpuMs: round(cpuMs),
    gcMs: roundMs(gcMs),
    runQueueMs: round(runQueueMs),
    throttledMs: round(throttledMs),
    stolenMs: round(stolenMs),
    answerMs: round(median(answersMs) ?? null),
    nativeMs: roundMs(nativeMs),
    watchdogGapMs: roundMs(watchdogGapMs),
    requests: requests.distinct,
    ...(causes[cause].isAsleep && sleptIn && { sleptIn }),
    ...(memory && { memory }),
    ownMs: roundMs(ownMs)
  }
}

/** Before files are read. @param {Code['table']} table @returns {Sources} */
const withoutText = (table) => ({
  original: (frame) => frame,
  lines: () => null,
  textOf: () => null,
  lineAt: () => null,
  passesOn: (frame) => table.passesOn(frame)
})

/**
 * A block that is mostly the agent's is blamed on loopwatch, and on no work.
 * @param {BlockRecord} record @param {Facts} facts @param {Code} code @returns {BlockRecord}
 */
function ofAgent (record, { ownFrame }, { table, packageIn }) {
  const frame = ownFrame && table.named({ ...ownFrame, exact: true })
  const nobodys = { generated: null, calledFrom: null, work: null, works: undefined, request: null, origin: null }
  return { ...record, ...nobodys, frame, package: packageIn(OWN_PACKAGE), packageIssue: undefined }
}

/** @param {Running} running */
function workIdsOf ({ work, request }) {
  if (work?.among) return []
  const ids = [work?.id, work?.rootId, work?.parent?.id, request?.id].map(Number)
  return [...new Set(ids.filter(Number.isInteger))]
}

/** @param {ReturnType<typeof workOf>} running @param {ThreadWork | null} ofThread @param {Facts} facts */
function workRecords ({ work, request, exact }, ofThread, facts) {
  const doubt = exact ? {} : { exact: false }
  return {
    work: work === null ? threadRecord(ofThread, facts) : { ...workRecord(work, facts), ...doubt },
    request: request === null ? null : { ...requestRecord(request, facts), ...doubt }
  }
}

/** @param {WorkContext} work @param {Facts} facts */
const workRecord = ({ startedAtMs, rootId, ...named }, facts) =>
  ({ ...named, startedAt: startedAtMs === null ? null : wallTimeOf(facts, startedAtMs) })

/** @param {RequestContext} request @param {Facts} facts */
const requestRecord = ({ startedAtMs, id, ...named }, facts) =>
  ({ ...named, startedAt: wallTimeOf(facts, startedAtMs) })

/** @param {ThreadWork | null} work @param {Facts} facts */
function threadRecord (work, facts) {
  if (work === null) return null
  const { startedAtMs, ...named } = work
  const unknown = { parent: null, attributes: {}, traceId: null, spanId: null, sampled: null, ended: false }
  return { ...named, startedAt: wallTimeOf(facts, startedAtMs), ...unknown }
}

/** @param {Facts} facts @param {number} ms monotonic */
const wallTimeOf = ({ wallMs }, ms) => new Date(wallMs + ms).toISOString()

/** @param {number | null} ms */
const round = (ms) => ms === null ? null : roundMs(ms)

/** @param {BlockRecord} record @param {FrameTable} table @returns {BlockRecord} */
function withNames (record, table) {
  const { frame, leaf, stacks, profile, origin, callbacks } = record
  /** @template {Frame} F @param {F} each */
  const name = (each) => ownerOf(each) === 'application' ? table.named(each) : each
  // The frame of a sample has a column; a line of a CPU profile has none. Any place in a function leads to its name,
  // but functions for which V8 has no name at all differ only in their lines.
  const isAnyLine = frame !== null && frame.function !== null
  const sampled = [...stacks, ...isAnyLine && profile ? profile.stacks : []].flatMap(({ frames }) => frames)
    .find((each) => isSame(each, frame) && (isAnyLine ? each.column !== null : each.line === frame?.line)) ?? frame
  const inStack = (/** @type {StackRecord} */ stack) => ({ ...stack, frames: stack.frames.map(name) })
  return {
    ...record,
    frame: frame && sampled && { ...frame, function: table.named(sampled).function },
    leaf: leaf && name(leaf),
    stacks: stacks.map(inStack),
    profile: profile && { ...profile, stacks: profile.stacks.map(inStack) },
    ...(callbacks && { callbacks: callbacks.map((each) => ({ ...each, frame: name(each.frame) })) }),
    origin: origin && { ...origin, frame: table.named(origin.frame), frames: origin.frames.map(name) }
  }
}
