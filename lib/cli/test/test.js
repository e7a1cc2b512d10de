'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { codedError } = require('../../tables/errors')
const { EXIT_FAILED } = require('../common/failure')
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
 * @typedef {{ over: number, all?: boolean, sync?: boolean, repeatToBeSure?: boolean, ratchet: string,
 * update?: boolean, junit?: string, sarif?: string, json?: string }} Flags
 * @typedef {{ offences: import('./offences').Offence[], judged: import('./verdict').Judged[], runs:
 * import('./runs').ProcessRun[], hasCpuTimes: boolean, code: number, isInterrupted: boolean }} Seen
 */

/** @param {string[]} command @param {Flags} flags */
exports.test = async (command, flags) => {
  if (command.length === 0) throw codedError('LOOPWATCH_ERR_COMMAND', undefined, 'after -- comes the test command: loopwatch test -- node --test')
  // What is wrong with it is better known before an hour of tests.
  const ratchet = readRatchet(flags.ratchet)
  const cwd = process.cwd()
  const seen = await watch(command, flags, cwd)
  const { gone } = compare(seen.offences, ratchet, flags.sync)
  if (flags.update && !seen.isInterrupted) writeRatchet(flags.ratchet, updated(ratchet, seen.offences, flags.sync))
  else if (flags.repeatToBeSure && !seen.isInterrupted) {
    await repeat(seen, (again, how) => watch(again, { ...flags, sync: false }, cwd, how), command)
  }
  const outcome = {
    offences: flags.update ? seen.offences.map((offence) => isFailing(offence) ? { ...offence, state: /** @type {const} */ ('known') } : offence) : seen.offences,
    gone: flags.update ? [] : gone,
    passedOver: passedOver(seen),
    overMs: flags.over,
    isSync: flags.sync ?? false,
    hasCpuTimes: seen.hasCpuTimes,
    seen: seen.runs.length,
    watched: seen.runs.filter(({ isWatched }) => isWatched === true).length,
    unwatched: seen.runs.filter(({ isWatched }) => isWatched === false).length,
    code: seen.code,
    isInterrupted: seen.isInterrupted
  }
  process.exitCode = seen.code === 0 && outcome.offences.some(isFailing) ? EXIT_FAILED : seen.code
  process.stderr.write(textReport(outcome))
  writeMachineFormats(outcome, flags, process.env)
}

/**
 * Runs a command with every Node.js process of it watched.
 * @param {string[]} command
 * @param {Flags} flags
 * @param {string} cwd
 * @param {{ isQuiet?: boolean, cwd?: string }} [how]
 * @returns {Promise<Seen>}
 */
async function watch (command, { over, all = false, sync = false }, cwd, how = {}) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-tests-'))
  try {
    const ended = await runCommand(command, { ...how, env: watchedEnv({ dir, overMs: over, sync, all }) })
    const { runs, records } = readRuns(dir)
    const hasCpuTimes =
      records.length === 0 ||
      runs.some(({ isMetered }) => isMetered) ||
      records.some(({ evidence }) => evidence.cpuMs !== null)
    const judged = judgeAll(records, runs, { overMs: over, all, hasCpuTimes, cwd })
    const offences = [...offencesOf(judged, cwd), ...syncOffencesOf(runs, { all, cwd })]
    return { offences, judged, runs, hasCpuTimes, ...ended }
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

/** @param {Seen} seen */
function passedOver ({ judged, runs }) {
  /** @type {Record<string, { count: number, longestMs: number }>} */
  const reasons = {}
  const add = (/** @type {string} */ reason, /** @type {number} */ ms) => {
    reasons[reason] ??= { count: 0, longestMs: 0 }
    reasons[reason].count++
    reasons[reason].longestMs = Math.max(reasons[reason].longestMs, ms)
  }
  for (const { excuse, record } of judged) if (excuse !== null) add(excuse, record.durationMs)
  const known = new Set(judged.map(({ stretch }) => stretch))
  for (const run of runs) {
    for (const stretch of run.stretches) if (!known.has(stretch)) add(excuseOfStretch(run, stretch), stretch.cpuMs)
  }
  return reasons
}
