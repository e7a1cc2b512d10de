'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const tasks = /** @type {Record<string, () => unknown>} */ (require('./tasks'))

/** The thread's loop waits before a task, or two tasks would be one block. */
const CALM_MS = 30

/**
 * Runs a task: what a pool calls.
 * @param {{ name: string }} task @returns {Promise<import('../generated/score').Interval>}
 */
module.exports = async ({ name }) => {
  await sleep(CALM_MS)
  const startMs = Date.now()
  tasks[name]()
  return { startMs, endMs: Date.now() }
}
