'use strict'

const path = require('node:path')
const { isFromTool, ownShare } = require('./owner')
const { testOf } = require('./runs')

/** Neither is done by code: the machine or the collector was. */
const EXCUSED = ['starved', 'suspended', 'gc']

/**
 * @typedef {import('../../store/record').BlockRecord} BlockRecord
 * @typedef {import('./runs').ProcessRun} ProcessRun
 *
 * @typedef {object} Limits
 * @property {number} overMs
 * @property {boolean} all start-up, runners, loaders and compilers count too
 * @property {boolean} hasCpuTimes whether this system tells CPU times; else durations count
 * @property {string} cwd
 *
 * @typedef {object} Judged
 * @property {BlockRecord} record
 * @property {number} ownMs CPU time of the application's own code
 * @property {string | null} excuse why it does not count; null where it does
 * @property {{ file: string | null, name: string | null, others: number }} test
 */

/**
 * What one block means for the verdict.
 * @param {BlockRecord} record
 * @param {ProcessRun | null} run
 * @param {Limits} limits
 * @returns {Judged}
 */
exports.judge = (record, run, limits) => {
  const startMs = Date.parse(record.startedAt)
  const within = run === null ? null : testOf(run.tests, startMs, startMs + record.durationMs)
  const spentMs = spent(record, limits)
  const share = limits.all ? 1 : ownShare(record)
  // What of it fell outside the test is not the test's.
  const ownMs = Math.min(spentMs * share, within?.overlapMs ?? Infinity)
  const file = within?.test.file ?? fileOf(run)
  return {
    record,
    ownMs: Math.round(ownMs),
    excuse: excuseOf(record, { limits, spentMs, share, ownMs, isInTest: within !== null, run }),
    test: { file: file === null ? null : relative(file, limits.cwd), name: within?.test.name ?? null, others: within?.others ?? 0 }
  }
}

/** @param {BlockRecord} record @param {Limits} limits */
function spent ({ evidence: { cpuMs, gcMs }, durationMs }, { hasCpuTimes }) {
  // Where the system tells CPU times a block without one was not measured, which must fail nobody.
  const ms = hasCpuTimes ? cpuMs ?? 0 : durationMs
  return Math.max(0, ms - gcMs)
}

/**
 * @param {BlockRecord} record
 * @param {{ limits: Limits, spentMs: number, share: number, ownMs: number, isInTest: boolean, run: ProcessRun | null }} seen
 * @returns {string | null}
 */
function excuseOf (record, { limits: { overMs, all }, spentMs, share, ownMs, isInTest, run }) {
  const { cause, evidence, frame } = record
  if (evidence.debugger) return 'debugger'
  if (EXCUSED.includes(cause)) return cause
  if (spentMs < overMs) return cause === 'sync-io' ? 'sync-io' : 'below the limit on the CPU'
  if (!all) {
    if (!isInTest && isStartup(record, run)) return 'start-up'
    if (frame === null) return 'no code of the application'
    if (isFromTool(record) || share === 0) return 'runner or compiler'
    if (spentMs * share < overMs) return 'loading'
  }
  return ownMs < overMs ? 'below the limit in any one test' : null
}

/** All that comes before the first test, where there are tests; else what the agent takes for it. @param {BlockRecord} record @param {ProcessRun | null} run */
function isStartup ({ startup, startedAt }, run) {
  const first = run?.tests[0]
  return first === undefined ? startup : Date.parse(startedAt) < first.startMs
}

/** What a process is called that no test is known of. @param {ProcessRun | null} run */
const fileOf = (run) => run?.argv[1] ?? null

/** @param {string} file @param {string} cwd */
function relative (file, cwd) {
  const plain = file.startsWith('file:') ? new URL(file).pathname : file
  const short = path.relative(cwd, plain)
  return (short.startsWith('..') || path.isAbsolute(short) ? plain : short).replaceAll('\\', '/')
}

exports.relative = relative
