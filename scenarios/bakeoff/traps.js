'use strict'

// Situations that a tool must not blame on code.
const { spawn } = require('node:child_process')
const os = require('node:os')
const { setTimeout: sleep } = require('node:timers/promises')

const MS_PER_S = 1000
const BUSY_CALLERS = 20
const CALM_CALLERS = 5
const STOPPED_S = 1

/** @typedef {import('./target/target-process').Target} Target */

/**
 * Requests that take no time, by so many callers.
 * @param {Target} target
 * @param {number} seconds
 * @param {number} callers
 */
async function load (target, seconds, callers) {
  const untilMs = performance.now() + seconds * MS_PER_S
  await Promise.all(Array.from({ length: callers }, async () => {
    while (performance.now() < untilMs) if (await target.request('plain', '/calm') === null) await sleep(1)
  }))
}

/**
 * @type {Record<string, { isBlock: boolean, run: (target: Target, seconds: number) => Promise<unknown> }>} isBlock: the
 * loop is held up by other processes
 */
exports.traps = {
  idle: { isBlock: false, run: (_, seconds) => sleep(seconds * MS_PER_S) },
  'full load': { isBlock: false, run: (target, seconds) => load(target, seconds, BUSY_CALLERS) },
  starved: {
    isBlock: true,
    run: async (target, seconds) => {
      const hogs = Array.from({ length: os.availableParallelism() * 2 }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
      try {
        await load(target, seconds, CALM_CALLERS)
      } finally {
        for (const hog of hogs) hog.kill('SIGKILL')
      }
    }
  },
  stopped: {
    isBlock: true,
    run: async (target) => {
      target.kill('SIGSTOP')
      await sleep(STOPPED_S * MS_PER_S)
      target.kill('SIGCONT')
    }
  }
}
