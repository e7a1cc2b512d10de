'use strict'

const fs = require('node:fs')
const path = require('node:path')
const process = require('../../../util/process')
const { isMainThread, threadId } = require('node:worker_threads')
const { isPackageManager, isTestRunner } = require('../../../host/launchers')
const { isForkedByVitest, isOfTool, isRunnersThread, THREAD_SUFFIX } = require('../tool-processes')

/** @import { Recorder } from './recorder' */

/** Variable with the setup, for each process below. Not an option of the agent, hence the prefix. */
const SETUP = '__LOOPWATCH_TEST'
/** Variable with the id of the process that starts test files (`node --test`, run()). All below inherit it. */
const RUNNER = '__LOOPWATCH_TEST_RUNNER'
const MOCHA = /^_?mocha(\.[cm]?js)?$/
const MOCHA_HOOKS = path.join(__dirname, 'mocha-hooks.js')
const AVA = /[\\/]ava[\\/]lib[\\/]worker[\\/]base\.js$/
const JEST = /[\\/](jest|jest-cli|jest-worker)([\\/]|(\.js)?$)/
/** Whether tap has started this process for a file. @param {NodeJS.ProcessEnv} env */
const isFileOfTap = (env) => env.TAP === '1' && env.TAP_CHILD_ID !== undefined

// Bound at load: a test may replace it.
const eventLoopUtilization = performance.eventLoopUtilization.bind(performance)

/** @typedef {{ dir: string, overMs: number, sync: boolean, all: boolean }} Setup */

/** Runs in every Node.js process and thread of a test command. It must not end one, or print. */
function preload () {
  /** @type {Setup} */
  const setup = JSON.parse(process.env[SETUP] ?? 'null')
  if (!isMainThread) return watchThread(setup)
  if (isPackageManager(process.argv[1])) return
  if (isTestRunner(process.execArgv)) {
    process.env[RUNNER] = String(process.pid)
    return
  }
  if (setup !== null) watch(setup)
}

/** A thread that runs tests leaves a file: it is not watched. @param {Setup | null} setup */
function watchThread (setup) {
  require('../../../host/threads/preload-beat').beatIfWanted()
  if (setup === null) return
  const file = path.join(setup.dir, `${process.pid}-${threadId}${THREAD_SUFFIX}`)
  // The script is known only after the preloads.
  process.nextTick(() => {
    try {
      if (isRunnersThread(process.argv[1])) fs.writeFileSync(file, '')
    } catch {
      // The command has ended, or may not write there.
    }
  })
}

/** @param {Setup} setup */
function watch ({ dir, overMs, sync, all }) {
  const { Recorder, publish } = require('./recorder')
  const isTestFile = process.env.NODE_TEST_CONTEXT !== undefined && process.env[RUNNER] === String(process.ppid)
  const recorder = new Recorder(dir, overMs, (folder) => startAgent({ dir: folder, overMs }), isTestFile)
  publish(recorder)
  if (sync) recorder.watchSync(all)
  // With less active time in total than the limit, the loop had no such block.
  process.on('exit', () => recorder.exit(eventLoopUtilization().active >= overMs))
  if (!isTestFile && process.env.NODE_TEST_CONTEXT === undefined) process.env[RUNNER] = String(process.pid)
  if (isForkedByVitest(process.argv[1])) require('./vitest-config').follow()
  if (!all && isOfTool(process.argv[1])) return
  recorder.watch({ isLoading: isTestFile && !all })
  const isFollowed = follow(recorder, isTestFile)
  // Before the first test, everything is startup. The watchdog starts meanwhile, and the first test waits for it.
  if (!isFollowed || all) recorder.sleepUntilWatched()
}

/**
 * True if this process runs a known runner, or was forked by one.
 * @param {Recorder} recorder @param {boolean} isTestFile a file that `node --test` started
 */
function follow (recorder, isTestFile) {
  const script = process.argv[1] ?? ''
  if (isTestFile) require('./node-test').follow(recorder)
  else if (MOCHA.test(path.basename(script))) process.argv.splice(2, 0, '--require', MOCHA_HOOKS)
  else if (AVA.test(script)) require('./ava').follow(recorder)
  else if (JEST.test(script)) require('./jest').follow(recorder)
  else if (isFileOfTap(process.env)) require('./tap').follow(recorder)
  else {
    require('./node-test').followDirect(recorder)
    return false
  }
  return true
}

/** @param {Pick<Setup, 'dir' | 'overMs'>} setup */
function startAgent ({ dir, overMs }) {
  try {
    const { start } = require('../../../host/start')
    const agent = start({
      ...require('./recorder').TEST_OPTIONS,
      threshold: overMs,
      dir,
      threads: 'auto',
      onStuck: 'report',
      // A runner is large by the time it runs the first test, and hardly ever idle: the profile starts before it.
      ...(process.env.LOOPWATCH_PROFILE === undefined && { profile: 'on' })
    })
    return 'stopAtExit' in agent ? agent : null
  } catch {
    // Some LOOPWATCH_ variable has a wrong value, which isWatched reports.
    return null
  }
}

try {
  preload()
} catch {
  // The process goes on as without loopwatch.
}
