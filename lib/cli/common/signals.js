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

/** Between two looks at a process, a port or a file. */
exports.POLL_MS = 50
/** Until a program that was asked to end is killed. Prometheus and clinic's tools write their data meanwhile. */
exports.STOP_MS = 8000

/** Under npx, one Ctrl-C comes from the terminal and from npm. Nobody presses it twice that fast. */
exports.ONE_PRESS_MS = 300

/** The first signal ends the run, the second kills its tools. @param {() => void} onSecond */
exports.watchSignals = (onSecond) => {
  const names = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])
  const ending = new AbortController()
  let firstMs = -Infinity
  /** @type {() => void} */
  let resolveFirst
  const first = /** @type {Promise<void>} */ (new Promise((resolve) => { resolveFirst = resolve }))
  const onSignal = () => {
    if (ending.signal.aborted) {
      if (performance.now() - firstMs > exports.ONE_PRESS_MS) onSecond()
      return
    }
    firstMs = performance.now()
    ending.abort()
    resolveFirst()
  }
  for (const name of names) process.on(name, onSignal)
  let isReleased = false
  // The reader of our output has gone. The error repeats for each line, so it is not a second press.
  const onGone = () => { if (!isReleased && !ending.signal.aborted) onSignal() }
  process.stdout.on('error', onGone)
  process.stderr.on('error', onGone)
  return {
    first,
    get isOver () { return ending.signal.aborted },
    /** Rejects if the run is over before. @param {number} ms */
    sleep: (ms) => sleep(ms, undefined, { signal: ending.signal }),
    check: () => { ending.signal.throwIfAborted() },
    stop: () => { ending.abort() },
    release: () => {
      isReleased = true
      for (const name of names) process.off(name, onSignal)
    }
  }
}

exports.signal = signal
exports.IS_WINDOWS = IS_WINDOWS
