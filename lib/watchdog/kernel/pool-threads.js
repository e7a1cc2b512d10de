'use strict'

const fs = require('node:fs')
const { callOf } = require('../../explain/system-call')

const TASKS = '/proc/self/task'
/** The name that libuv gives the threads of its pool, from Node.js 22 on. */
const POOL = 'libuv-worker'
/** In this call a thread of the pool waits for work. */
const IDLE = 'futex'

/**
 * The threads of libuv's pool, those that work and those that compute now; null if not known. For incidents only: it
 * reads three files a thread. @returns {{ threads: number, busy: number, computing: number } | null}
 */
exports.poolThreads = () => {
  try {
    const read = (/** @type {string} */ tid, /** @type {string} */ file) => fs.readFileSync(`${TASKS}/${tid}/${file}`, 'latin1')
    const pool = fs.readdirSync(TASKS).filter((tid) => read(tid, 'comm').trim() === POOL)
    if (pool.length === 0) return null
    const isIdle = pool.map((tid) => callOf(read(tid, 'syscall'), process.arch)?.name === IDLE)
    const states = pool.map((tid) => read(tid, 'stat').split(') ').at(-1)?.[0])
    const computing = states.filter((state, i) => state === 'R' && !isIdle[i]).length
    return { threads: pool.length, busy: isIdle.filter((idle) => !idle).length, computing }
  } catch {
    // Not Linux, hidden, or a thread has just ended.
    return null
  }
}
