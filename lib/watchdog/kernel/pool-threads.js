'use strict'

const fs = require('node:fs')

const TASKS = '/proc/self/task'
/** The name that libuv gives the threads of its pool, from Node.js 24 on. */
const POOL = 'libuv-worker'

/**
 * How many threads libuv's pool has, and how many of them compute at this moment; null if their names are not known.
 * It reads two files a thread, so it is for incidents only.
 * @returns {{ threads: number, computing: number } | null}
 */
exports.poolThreads = () => {
  try {
    const pool = fs.readdirSync(TASKS).filter((tid) => fs.readFileSync(`${TASKS}/${tid}/comm`, 'latin1').trim() === POOL)
    if (pool.length === 0) return null
    const states = pool.map((tid) => fs.readFileSync(`${TASKS}/${tid}/stat`, 'latin1').split(') ').at(-1)?.[0])
    return { threads: pool.length, computing: states.filter((state) => state === 'R').length }
  } catch {
    // Not Linux, hidden, or a thread has just ended.
    return null
  }
}
