'use strict'

const path = require('node:path')
const { fileURLToPath } = require('node:url')
const { causeRow } = require('../../tables/causes')
const { isBesideTest, isFromTool, ownShare } = require('./code-ownership')
const { runOf, stretchOf, testOf } = require('./runs')
const { isForkedByVitest } = require('./tool-processes')

/**
 * @import { BlockRecord } from '../../types'
 * @import { Stretch } from './inside/loop-meter'
 * @import { ProcessRun } from './runs'
 */

/** Reason in a process of Vitest that runs short tests without a turn of the loop: nothing says where one ends. */
const NOT_FOLLOWED = 'in a Vitest process that is not watched'

/** Reason for a block of unknown code without a named test. */
const NO_STACK = 'no stack taken'

/**
 * @typedef {object} Limits
 * @property {number} overMs @property {string} cwd
 * @property {boolean} all startup, runners, loaders and compilers count too
 * @property {boolean} hasCpuTimes whether this system reports CPU times; else durations count
 *
 * @typedef {object} Judged
 * @property {BlockRecord} record
 * @property {number} ownMs CPU time of the application's own code
 * @property {string | null} excuse why it does not count; null if it does
 * @property {{ file: string | null, name: string | null, others: number }} test
 * @property {Stretch | null} stretch in which its thread counted its CPU time
 */

/**
 * Only the longest block gets the CPU time of one turn of a loop.
 * @param {BlockRecord[]} records @param {ProcessRun[]} runs @param {Limits} limits
 */
exports.judgeAll = (records, runs, limits) => {
  const judged = records.map((record) => judge(record, runOf(runs, record), limits))
  /** @type {Map<Stretch, Judged>} */
  const charged = new Map()
  for (const each of judged.toSorted((a, b) => b.record.durationMs - a.record.durationMs)) {
    if (each.stretch === null || each.excuse !== null) continue
    if (charged.has(each.stretch)) each.excuse = 'part of another'
    else charged.set(each.stretch, each)
  }
  return judged
}

/** @param {BlockRecord} record @param {ProcessRun | null} run @param {Limits} limits @returns {Judged} */
function judge (record, run, limits) {
  const startMs = Date.parse(record.startedAt)
  const stretch =
    run === null || record.threadId !== 0 ? null : stretchOf(run.stretches, startMs, startMs + record.durationMs)
  const interval = stretch ?? { startMs, endMs: startMs + record.durationMs }
  const within = run === null ? null : testOf(run.tests, interval.startMs, interval.endMs)
  const spentMs = spent(record, cpuOf(record, run, stretch), limits)
  const isInTest = within !== null && within.test.name !== null
  const share = limits.all ? 1 : ownShare(record, isInTest)
  // A test does not answer for the part of a block outside it.
  const ownMs = Math.min(spentMs * share, within?.overlapMs ?? Infinity)
  const file = within?.test.file ?? fileOf(run)
  return {
    record,
    ownMs: Math.round(ownMs),
    excuse: excuseOf(record, {
      limits, spentMs, share, ownMs, isStartup: within === null && isStartup(record, run), isInTest, run
    }),
    test: {
      file: file === null ? null : relative(file, limits.cwd),
      name: within?.test.name ?? null,
      others: within?.others ?? 0
    },
    stretch
  }
}

/**
 * The thread's own count is exact on a busy machine too. A thread that was killed in the block, or is not the main one,
 * has no count.
 * @param {BlockRecord} record @param {ProcessRun | null} run @param {Stretch | null} stretch
 */
function cpuOf ({ threadId, ongoing, evidence }, run, stretch) {
  if (stretch !== null) return stretch.cpuMs
  return run?.isMetered && threadId === 0 && !ongoing ? 0 : evidence.cpuMs
}

/** @param {BlockRecord} record @param {number | null} cpuMs @param {Limits} limits */
function spent ({ evidence: { gcMs }, durationMs }, cpuMs, { hasCpuTimes }) {
  // If the system reports CPU times, a block without one was not measured. It must not fail a run.
  const ms = hasCpuTimes ? cpuMs ?? 0 : durationMs
  // Only the duration of a GC pause is known. A thread that waits for a CPU also waits during pauses.
  return Math.max(0, ms - gcMs * Math.min(1, ms / durationMs))
}

/**
 * @param {BlockRecord} record @param {{ limits: Limits, spentMs: number, share: number, ownMs: number,
 * isStartup: boolean, isInTest: boolean, run: ProcessRun | null }} seen isInTest: a named test ran
 */
function excuseOf (record, { limits: { overMs, all, hasCpuTimes }, spentMs, share, ownMs, isStartup, isInTest, run }) {
  const { cause, frame } = record
  const { isExcusedInTests: isExcused = false, isAsleep } = causeRow(cause)
  if (record.allowed) return 'allowed by agent.allow()'
  // A thread that waited for a CPU may have reached the limit as well: its CPU time decides.
  if (spentMs < overMs) return isExcused || isAsleep ? cause : 'less CPU time than the limit'
  if (isExcused && !hasCpuTimes) return cause
  if (!all) {
    if (isStartup) return 'startup'
    if (run?.tests.length === 0 && isForkedByVitest(run.argv[1])) return NOT_FOLLOWED
    if (frame === null && !isInTest) return NO_STACK
    if ((isFromTool(record) && !(isInTest && isBesideTest(frame))) || share === 0) return 'runner or compiler'
    if (spentMs * share < overMs) return 'loading'
  }
  return ownMs < overMs ? 'below the limit in each test' : null
}

/** @param {ProcessRun} run @param {Stretch} stretch CPU time without a block */
function excuseOfStretch ({ argv, isWatched, tests: [first] }, { startMs }) {
  if (first !== undefined && startMs < first.startMs) return 'startup'
  if (isWatched !== null) return NO_STACK
  return isForkedByVitest(argv[1]) ? NOT_FOLLOWED : 'runner or compiler'
}

/** Startup ends at the first test, or as the agent says. @param {BlockRecord} record @param {ProcessRun | null} run */
function isStartup ({ startup, startedAt }, run) {
  const first = run?.tests[0]
  return first === undefined ? startup : Date.parse(startedAt) < first.startMs
}

/** The file of a process without tests. @param {ProcessRun | null} run */
const fileOf = (run) => run?.argv[1] ?? null

/** @param {string} file @param {string} cwd */
function relative (file, cwd) {
  const plain = file.startsWith('file:') ? fileURLToPath(file) : file
  const short = path.relative(cwd, plain)
  return (short.startsWith('..') || path.isAbsolute(short) ? plain : short).replaceAll('\\', '/')
}

exports.excuseOfStretch = excuseOfStretch
exports.fileOf = fileOf
exports.judge = judge
exports.relative = relative
exports.NO_STACK = NO_STACK
