'use strict'

const path = require('node:path')
const { BARE_WORK, callbacksOf, sharesOf, withoutGuess, workOf } = require('./work')
const { verdictOf } = require('./cause')
const { listed, merged, ofMost, withoutEntered, workIn } = require('./fold')
const { awaitingFrame, blame, generatedIn, leaf, weightOf } = require('./frame')
const { packageIssueIn } = require('./advice/package-issues')
const { folderAtFault, samplesOf } = require('./package')
const { withPlace, withProbableCall } = require('./place/located')
const { isHeldUp } = require('./place/place')
const { partsOf } = require('./parts')
const { causes, isExcused, isOwnBlock, ownCauseOf } = require('../tables/causes')
const { ownerOf } = require('../util/code-owner')
const { median, roundMs } = require('../util/statistics')

/**
 * @import { BlockRecord, EvidenceRecord, Frame, FrameRecord, MemoryRecord } from '../types'
 * @import { OriginRecord, QueryRecord, RequestContext, SleptIn, StackRecord, WorkContext, WorkKind } from '../types'
 * @import { Evidence } from './parts'
 * @import { Running, Stack } from './fold'
 * @import { Measured } from './place/located'
 * @import { CpuProfile } from './profile/samples'
 * @import { Sources } from './profile/stacks'
 * @import { FrameTable } from './source/frame-table'
 */

const OWN_PACKAGE = path.join(__dirname, '..', '..')

/**
 * @typedef {{ kind: WorkKind, name: string, id: string, startedAtMs: number }} ThreadWork
 * @typedef {'cpuMs' | 'runQueueMs' | 'throttledMs' | 'stolenMs' | 'machineIdleMs' | 'preemptions'} Counter
 * @typedef {object} Span of a block by a monotonic clock, ms
 * @property {number} startMs @property {number} endMs @property {number} durationMs @property {number} uncertaintyMs
 * @property {number} busyMs without the time of the agent @property {boolean} ongoing
 * @typedef {object} Facts about a block: plain data, which can be written down and explained again
 * @property {Pick<BlockRecord, 'id' | 'pid' | 'thread' | 'threadId' | 'startup'>} block
 * @property {Span} span @property {number} thresholdMs @property {number} wallMs the wall clock at the clock's zero
 * @property {Pick<Evidence, Counter | 'gcCpuMs' | 'gcHeldMs' | 'nativeCpuMs'>} kernel
 * @property {Stack[]} stacks of the answers to interrupts @property {number} samples their number
 * @property {{ top: RequestContext | null, distinct: number, topShare: number, longestRunMs: number }} requests
 * @property {number[]} answersMs times of the first answers @property {number} nativeMs in which calls delayed answers
 * @property {number} runningMs in which answers came from running JavaScript @property {number} gcMs
 * @property {number} watchdogGapMs in which the watchdog itself did not run
 * @property {number} ownMs of the agent, in the block @property {Frame | null} ownFrame where the agent was last
 * @property {RequestContext[]} others requests that were open
 * @property {ThreadWork | null} threadWork of a whole worker thread @property {OriginRecord | null} origin
 * @property {string | null} allowed why it was allowed to block
 * @property {QueryRecord | null} [query] of node:sqlite
 * @property {SleptIn | null} sleptIn @property {MemoryRecord | null} memory
 * @property {CpuProfile | null} [profile] of its time, null without one, undefined if it is too early for one
 * @typedef {object} Code of the application
 * @property {FrameTable} table @property {(folder: string) => BlockRecord['package']} packageIn
 * @property {() => Sources} sources
 */

/**
 * The record of a block. `workIds` are the ids of the work that ran longest and of what that is part of: the block does
 * not delay these. There are none if several may have been running, as each mostly waited.
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
  const isAwaited = awaits?.exact && sampled.frame?.exact === false && ownerOf(sampled.frame) === 'application'
  const located = { ...withProbableCall(sampled, sources.runningRows), ...(isAwaited && { frame: null }) }
  const verdict = verdictOf(evidence, sampled.parts)
  const placed = { ...located, ...verdict, frame: verdict.excused ? sure(located.frame) : located.frame }
  const { passesOn, routesOf } = table
  const hints = { passesOn, routesOf, others: facts.others, profiled: placed.profile?.stacks }
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
    blamed: blame(ofMost(stacks, stacks), table.passesOn, weightOf(stacks)),
    innermost: leaf(stacks),
    callbacks: callbacksOf(stacks, table),
    awaits: awaitingFrame(stacks),
    isFirst: requests.top === null && work === null && request === null
  }
}

/** @param {Facts} facts @returns {Evidence} */
function evidenceOf (facts) {
  const { kernel, span, gcMs, nativeMs, watchdogGapMs, requests, samples, runningMs, thresholdMs, sleptIn } = facts
  // Nothing is stolen from a thread that sleeps: the hypervisor took the CPU from others.
  const mostStolenMs = (1 - (sleptIn?.share ?? 0)) * span.durationMs
  return {
    ...kernel,
    stolenMs: kernel.stolenMs === null ? null : Math.min(kernel.stolenMs, mostStolenMs),
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
 * The record without the line and the work. Its stacks are those that decide. Its cause is that of what the application
 * did, because a place explains that.
 * @param {Facts} facts @param {Evidence} evidence @param {ReturnType<typeof shownBy>} shown @returns {Measured}
 */
function measured (facts, evidence, { blamed, isFirst, innermost, stacks, callbacks }) {
  const { block, span, origin, query, allowed, samples, thresholdMs } = facts
  const parts = partsOf(evidence)
  const verdict = verdictOf(evidence, parts)
  const cause = ownCauseOf({ ...verdict, parts, durationMs: span.durationMs })
  return {
    ...block,
    worker: null,
    // The latest possible start of a block in progress, the true start of one that has ended.
    startedAt: wallTimeOf(facts, span.startMs),
    durationMs: roundMs(span.durationMs),
    uncertaintyMs: roundMs(span.uncertaintyMs),
    thresholdMs,
    ongoing: span.ongoing,
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
    ...(query && { query }),
    allowed
  }
}

/** @param {Facts} facts @param {Evidence} evidence @param {BlockRecord['cause']} cause @returns {EvidenceRecord} */
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

/** Sources of a block in progress: files are read later. @param {Code['table']} table @returns {Sources} */
const withoutText = (table) => ({
  original: (frame) => frame,
  runningRows: () => null,
  sourceRows: () => null,
  placeOfLine: () => null,
  passesOn: table.passesOn
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
    work: work === null
      ? ofThread && workRecord({ ...BARE_WORK, ...ofThread }, facts)
      : { ...workRecord(work, facts), ...doubt },
    request: request && { ...requestRecord(request, facts), ...doubt }
  }
}

/** @param {Omit<WorkContext, 'rootId'> & { rootId?: string }} work @param {Facts} facts */
const workRecord = ({ startedAtMs, rootId, ...work }, facts) =>
  ({ ...work, startedAt: startedAtMs === null ? null : wallTimeOf(facts, startedAtMs) })

/** @param {RequestContext} request @param {Facts} facts */
const requestRecord = ({ startedAtMs, id, ...request }, facts) =>
  ({ ...request, startedAt: wallTimeOf(facts, startedAtMs) })

/** @param {Facts} facts @param {number} ms monotonic */
const wallTimeOf = ({ wallMs }, ms) => new Date(wallMs + ms).toISOString()

/** @param {number | null} ms */
const round = (ms) => ms && roundMs(ms)

/** @param {BlockRecord} record @param {FrameTable} table @returns {BlockRecord} */
function withNames (record, table) {
  const { frame, leaf, stacks, profile, origin, callbacks } = record
  /** @template {Frame} F @param {F} each */
  const name = (each) => ownerOf(each) === 'application' ? table.named(each) : each
  const inStack = (/** @type {StackRecord} */ stack) => ({ ...stack, frames: stack.frames.map(name) })
  return {
    ...record,
    frame: frame && { ...frame, function: table.named(frame).function },
    leaf: leaf && name(leaf),
    stacks: stacks.map(inStack),
    profile: profile && { ...profile, stacks: profile.stacks.map(inStack) },
    ...(callbacks && { callbacks: callbacks.map((each) => ({ ...each, frame: name(each.frame) })) }),
    origin: origin && { ...origin, frame: table.named(origin.frame), frames: origin.frames.map(name) }
  }
}
