'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { codedError } = require('../../tables/errors')
const { EXIT_FAILED, EXIT_UNWATCHED } = require('../common/failure')
const { runCommand, watchedEnv } = require('./child')
const { writeMachineFormats } = require('./formats')
const { isFailing, offencesOf } = require('./offences')
const { compare, readRatchet, updated, writeRatchet } = require('./ratchet')
const { repeat } = require('./repeat')
const { textReport } = require('./report')
const { readRuns } = require('./runs')
const { syncOffencesOf } = require('./sync')
const { excuseOfStretch, judgeAll } = require('./verdict')

/**
 * @import { Offence } from './offences'
 * @import { Outcome } from './report'
 * @import { ProcessRun } from './runs'
 * @import { Judged } from './verdict'
 */

/**
 * @typedef {{ over: number, all?: boolean, sync?: boolean, repeatToBeSure?: boolean, ratchet: string,
 * update?: boolean, junit?: string, sarif?: string, json?: string }} Flags
 * @typedef {{ offences: Offence[], judged: Judged[], unwatchedTests: number,
 * runs: ProcessRun[], hasCpuTimes: boolean, code: number, isInterrupted: boolean }} WatchedRun
 */

/** @param {string[]} command @param {Flags} flags */
exports.test = async (command, flags) => {
  if (command.length === 0) {
    throw codedError('LOOPWATCH_ERR_COMMAND', undefined,
      'expected a test command after --: loopwatch test -- node --test')
  }
  // A broken file is reported before an hour of tests, not after it.
  const ratchet = readRatchet(flags.ratchet)
  const cwd = process.cwd()
  const run = await watch(command, flags, cwd)
  const { gone } = compare(run.offences, ratchet, flags.sync)
  // An interrupted run, or one that watched nothing, does not know what is gone.
  const mayUpdate = !run.isInterrupted && !hasWatchedNothing(run)
  if (flags.update && mayUpdate) writeRatchet(flags.ratchet, updated(ratchet, run.offences, flags.sync))
  else if (flags.repeatToBeSure && !flags.update && !run.isInterrupted) {
    await repeat(run, (again, how) => watch(again, { ...flags, sync: false }, cwd, how), command)
  }
  const outcome = outcomeOf(run, gone, flags)
  process.exitCode = exitCodeOf(outcome)
  process.stderr.write(textReport(outcome, process.stderr.isTTY && process.stderr.hasColors()))
  writeMachineFormats(outcome, flags, process.env)
}

/** No process was watched, or all tests ran unwatched. @param {WatchedRun} run */
const hasWatchedNothing = ({ runs, unwatchedTests }) => !runs.some(({ isWatched }) => isWatched) ||
  (unwatchedTests > 0 && runs.every(({ tests }) => tests.length === 0))

/** @param {WatchedRun} run @param {Outcome['gone']} gone @param {Flags} flags @returns {Outcome} */
function outcomeOf (run, gone, { over, update = false, sync = false }) {
  const { offences, runs, unwatchedTests, hasCpuTimes, code, isInterrupted } = run
  const hasNothing = hasWatchedNothing(run)
  return {
    offences: update
      ? offences.map((offence) => isFailing(offence) ? { ...offence, state: 'known' } : offence)
      : offences,
    gone: update || hasNothing ? [] : gone,
    passedOver: passedOver(run),
    overMs: over,
    isSync: sync,
    hasCpuTimes,
    processes: runs.length,
    watched: runs.filter(({ isWatched }) => isWatched === true).length,
    unwatched: runs.filter(({ isWatched }) => isWatched === false).length,
    unwatchedTests,
    hasWatchedNothing: hasNothing,
    code,
    isInterrupted
  }
}

/** @param {Outcome} outcome */
function exitCodeOf ({ code, offences, hasWatchedNothing }) {
  if (code !== 0) return code
  if (offences.some(isFailing)) return EXIT_FAILED
  return hasWatchedNothing ? EXIT_UNWATCHED : 0
}

/**
 * @param {string[]} command @param {Flags} flags @param {string} cwd @param {{ isQuiet?: boolean, cwd?: string }} [how]
 */
async function watch (command, { over, all = false, sync = false }, cwd, how = {}) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-tests-'))
  try {
    const ended = await runCommand(command, { ...how, env: watchedEnv({ dir, overMs: over, sync, all }) })
    const { runs, records, unwatchedTests } = readRuns(dir)
    const hasCpuTimes =
      records.length === 0 ||
      runs.some(({ isMetered }) => isMetered) ||
      records.some(({ evidence }) => evidence.cpuMs !== null)
    const judged = judgeAll(records, runs, { overMs: over, all, hasCpuTimes, cwd })
    const offences = [...offencesOf(judged, cwd), ...syncOffencesOf(runs, { all, cwd })]
    return { offences, judged, runs, unwatchedTests, hasCpuTimes, ...ended }
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

/** @param {WatchedRun} seen */
function passedOver ({ judged, runs }) {
  /** @type {Record<string, { count: number, longestMs: number }>} */
  const reasons = {}
  const add = (/** @type {string} */ reason, /** @type {number} */ ms) => {
    reasons[reason] ??= { count: 0, longestMs: 0 }
    reasons[reason].count++
    reasons[reason].longestMs = Math.max(reasons[reason].longestMs, ms)
  }
  for (const { excuse, record } of judged) if (excuse !== null) add(excuse, record.durationMs)
  const withBlock = new Set(judged.map(({ stretch }) => stretch))
  for (const run of runs) {
    for (const stretch of run.stretches) if (!withBlock.has(stretch)) add(excuseOfStretch(run, stretch), stretch.cpuMs)
  }
  return reasons
}
