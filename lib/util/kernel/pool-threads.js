'use strict'

const { namesIn, statOf, TASKS, textOf } = require('./file')
const { callOf } = require('./system-call')

/** @import { Pid } from '../cgroup' */

/** libuv's name for the threads of its pool, since Node.js 22. */
const POOL = 'libuv-worker\n'
/** An idle thread of the pool is in this call. */
const IDLE = 'futex'

/**
 * The threads of libuv's pool: all, busy and computing; null if unknown. Reads three files per thread.
 * @param {Pid} [pid] @returns {{ threads: number, busy: number, computing: number } | null}
 */
exports.poolThreads = (pid = 'self') => {
  const folders = namesIn(`/proc/${pid}/task`).map((tid) => `/proc/${pid}/task/${tid}`)
  const pool = folders.filter((folder) => textOf(`${folder}/comm`) === POOL)
  const calls = pool.map((folder) => textOf(`${folder}/syscall`))
  // Not Linux, hidden, or a thread has just ended.
  if (pool.length === 0 || calls.includes('')) return null
  const isIdle = calls.map((call) => callOf(call, process.arch)?.name === IDLE)
  const states = pool.map((folder) => statOf(textOf(`${folder}/stat`)).state)
  const computing = states.filter((state, i) => state === 'R' && !isIdle[i]).length
  return { threads: pool.length, busy: isIdle.filter((idle) => !idle).length, computing }
}

/** @param {string} tid of a thread of this process */
exports.isOfPool = (tid) => textOf(`${TASKS}/${tid}/comm`) === POOL
