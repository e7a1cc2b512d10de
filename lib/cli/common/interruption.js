'use strict'

const { setTimeout: sleep } = require('node:timers/promises')

/** Under npx one Ctrl-C comes twice: from the terminal, and passed on by npm. Nobody presses it twice as fast. */
const ONE_PRESS_MS = 300

/**
 * The first signal ends what runs, the second its tools at once.
 * @param {() => void} onSecond
 */
exports.watchSignals = (onSecond) => {
  const names = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])
  const ending = new AbortController()
  let firstMs = -Infinity
  /** @type {() => void} */
  let resolveFirst
  const first = /** @type {Promise<void>} */ (new Promise((resolve) => { resolveFirst = resolve }))
  const onSignal = () => {
    if (ending.signal.aborted) {
      if (performance.now() - firstMs > ONE_PRESS_MS) onSecond()
      return
    }
    firstMs = performance.now()
    ending.abort()
    resolveFirst()
  }
  for (const name of names) process.on(name, onSignal)
  let isReleased = false
  // Whoever read our output has gone. That is told again for every line, and for good: it is no second press, nor
  // anything at all in the end.
  const onGone = () => { if (!isReleased && !ending.signal.aborted) onSignal() }
  process.stdout.on('error', onGone)
  process.stderr.on('error', onGone)
  return {
    first,
    /** Whether it has come. */
    get isOver () { return ending.signal.aborted },
    /** Waits so long, or rejects when it is over before. @param {number} ms */
    sleep: (ms) => sleep(ms, undefined, { signal: ending.signal }),
    /** Throws where nothing must be started any more. */
    check: () => { ending.signal.throwIfAborted() },
    stop: () => { ending.abort() },
    release: () => {
      isReleased = true
      for (const name of names) process.off(name, onSignal)
    }
  }
}
