'use strict'

const { isFailing, keyOf, UNKNOWN } = require('./offences')

/**
 * @import { Offence } from './offences'
 * @import { ProcessRun } from './runs'
 * @import { WatchedRun } from './test'
 */

/**
 * Runs what blocked once more, without output, and clears what does not block again. A file of `node --test` runs
 * alone. For other runners the whole command runs: only they know how to run one file.
 * @param {WatchedRun} first the states of its offences are set
 * @param {(command: string[], how: { isQuiet: boolean, cwd?: string }) => Promise<WatchedRun>} watch
 * @param {string[]} command
 */
exports.repeat = async ({ offences, runs, code }, watch, command) => {
  // A synchronous call needs no second run: a busy machine makes no difference.
  const failing = offences.filter((offence) => isFailing(offence) && offence.call === null)
  if (failing.length === 0) return
  const commands = new Map(failing.map((offence) => {
    const again = ofFile(offence, runs) ?? { command, cwd: undefined }
    return [JSON.stringify(again), { ...again, offences: /** @type {typeof failing} */ ([]) }]
  }))
  for (const offence of failing) {
    commands.get(JSON.stringify(ofFile(offence, runs) ?? { command, cwd: undefined }))?.offences.push(offence)
  }
  for (const again of commands.values()) {
    const run = await watch(again.command, { isQuiet: true, cwd: again.cwd })
    if (run.isInterrupted) return
    // A run that fails, as the first did not, may have ended before the test.
    if (run.code !== 0 && code === 0) continue
    for (const offence of again.offences) {
      if (!run.offences.some((other) => isAgain(offence, other))) offence.state = 'unconfirmed'
    }
  }
}

/** The same place; if it is unknown in one of the runs, the same test. @param {Offence} a @param {Offence} b */
const isAgain = (a, b) => keyOf(a) === keyOf(b) || ([a, b].some(({ function: name }) => name === UNKNOWN) &&
  a.tests.some(({ file, name }) => b.tests.some((test) => test.file === file && test.name === name)))

/** Runs one file alone. @param {Offence} offence @param {ProcessRun[]} runs */
function ofFile ({ records: [record] }, runs) {
  const run = runs.findLast(({ pid, isNodeTest }) => pid === record.pid && isNodeTest)
  if (run === undefined) return null
  const [node, file] = run.argv
  return { command: [node, ...run.execArgv.filter((flag) => !flag.startsWith('--test')), '--test', file], cwd: run.cwd }
}
