'use strict'

const { setTimeout: sleep } = require('node:timers/promises')

const MS_PER_S = 1000
/** After a request that got no answer, so that a dead server is not called a hundred thousand times. */
const AFTER_ERROR_MS = 50

/** @typedef {import('./user').User} User */
/** @typedef {{ path: string, keepsBody: boolean, tally: import('./tally').Tally, isOver: () => boolean }} Work */

/**
 * Closed loop: each user asks, waits for the response, and asks again until the time is up.
 * @param {User[]} users
 * @param {Work} work
 */
exports.closedLoop = async (users, { path, keepsBody, tally, isOver }) => {
  await Promise.all(users.map(async (user) => {
    while (!isOver()) {
      const timing = await user.request(path, { keepsBody })
      tally.add(timing, timing.durationMs)
      if (timing.error !== null) await sleep(AFTER_ERROR_MS)
    }
  }))
  return { late: 0 }
}

/**
 * Open loop: requests are due at an even rate, whether or not those before were answered. One that
 * finds every connection busy waits, and its latency counts from when it was due, so that a slow
 * server cannot slow down what measures it.
 * @param {User[]} users
 * @param {Work & { ratePerSecond: number, seconds: number }} work
 */
exports.openLoop = async (users, { path, keepsBody, tally, isOver, ratePerSecond, seconds }) => {
  const fromMs = performance.now()
  const periodMs = MS_PER_S / ratePerSecond
  const total = Math.floor(ratePerSecond * seconds)
  let taken = 0
  let answered = 0
  await Promise.all(users.map(async (user) => {
    while (taken < total) {
      const dueMs = fromMs + taken++ * periodMs
      const waitMs = dueMs - performance.now()
      if (waitMs > 0) await sleep(waitMs)
      // The rest of an overload is as long again as the run at most.
      if (isOver() && performance.now() - fromMs > 2 * seconds * MS_PER_S) return
      const sentMs = performance.now()
      const timing = await user.request(path, { keepsBody })
      answered++
      // Timers can fire a millisecond or more too early, which must not count for the server.
      tally.add(timing, performance.now() - Math.min(dueMs, sentMs))
    }
  }))
  return { late: total - answered }
}
