'use strict'

const { setTimeout: sleep } = require('node:timers/promises')

/** @import { ChildProcess } from 'node:child_process' */

const IS_WINDOWS = process.platform === 'win32'

/** Whether the process was there. @param {number} pid @param {NodeJS.Signals | 0} name */
function signal (pid, name) {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/**
 * The child leads a process group (not on Windows), so all that it started gets the signal.
 * @param {ChildProcess} child @param {NodeJS.Signals} name
 */
exports.signalGroup = ({ pid }, name) => { if (pid !== undefined) signal(IS_WINDOWS ? pid : -pid, name) }

/** Signals with which a user or a supervisor ends a command. */
const ENDING = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])

/** Between two looks at a process, a port or a file. */
const POLL_MS = 50
/** Under npx, one Ctrl-C comes from the terminal and from npm. Nobody presses it twice that fast. */
const ONE_PRESS_MS = 300

/**
 * The first truthy result of `check`, or its last one if there is none within `ms`.
 * @template T @param {() => T} check @param {number} ms @returns {Promise<Awaited<T>>}
 */
exports.poll = async (check, ms) => {
  for (const endMs = performance.now() + ms; ;) {
    const result = await check()
    if (result || performance.now() > endMs) return result
    await sleep(POLL_MS)
  }
}

/** The first signal ends the run, the second kills its tools. @param {() => void} onSecond */
exports.watchSignals = (onSecond) => {
  const ending = new AbortController()
  const { signal } = ending
  let firstMs = -Infinity
  /** @type {() => void} */
  let resolveFirst
  const first = /** @type {Promise<void>} */ (new Promise((resolve) => { resolveFirst = resolve }))
  const onSignal = () => {
    if (signal.aborted) {
      if (performance.now() - firstMs > ONE_PRESS_MS) onSecond()
      return
    }
    firstMs = performance.now()
    ending.abort()
    resolveFirst()
  }
  for (const name of ENDING) process.on(name, onSignal)
  // The reader of our output has gone. The error repeats for each line, so it is not a second press.
  const onGone = () => { if (!signal.aborted) onSignal() }
  process.stdout.on('error', onGone)
  process.stderr.on('error', onGone)
  return {
    first,
    get isOver () { return signal.aborted },
    /** Wakes when the run ends. @param {number} ms */
    sleep: (ms) => sleep(ms, undefined, { signal }).catch(() => {}),
    /** Ends the run as a signal does. */
    stop: () => { ending.abort() },
    /** The run has ended: signals end the process again. */
    release: () => {
      ending.abort()
      for (const name of ENDING) process.off(name, onSignal)
    }
  }
}

exports.ENDING = ENDING
exports.ONE_PRESS_MS = ONE_PRESS_MS
exports.POLL_MS = POLL_MS
exports.signal = signal
exports.IS_WINDOWS = IS_WINDOWS
