'use strict'

const fs = require('node:fs')

const NS_PER_MS = 1_000_000
const MS_PER_S = 1000

/**
 * Linux's counters of each thread of a process: the time on a core, and the number of times it has gone to sleep. Each
 * time, something wakes it again, hence "wake-ups".
 * @typedef {Map<string, { onCpuNs: number, sleeps: number }>} Threads by thread id
 */

/**
 * One thread's counts.
 * @param {string} schedstat /proc/<pid>/task/<tid>/schedstat: ns on a core, ns waiting for one, slices
 * @param {string} status /proc/<pid>/task/<tid>/status
 */
exports.parseThread = (schedstat, status) => {
  const onCpuNs = Number(schedstat.split(' ')[0])
  const sleeps = Number(/^voluntary_ctxt_switches:\s*(\d+)$/m.exec(status)?.[1])
  if (!Number.isFinite(onCpuNs) || !Number.isFinite(sleeps)) throw new Error(`the kernel tells a thread's times in a way that is not known: "${schedstat.trim()}"`)
  return { onCpuNs, sleeps }
}

/**
 * The counts of a process without asking it, which would wake it up; null where the system does not tell.
 * @param {number} pid
 * @param {string} [proc] where the kernel's files are
 * @returns {Threads | null}
 */
exports.readThreads = (pid, proc = '/proc') => {
  const tasks = `${proc}/${pid}/task`
  /** @type {string[]} */
  let tids
  try {
    tids = fs.readdirSync(tasks)
    // A kernel without schedstat gets no figure rather than a partial one.
    fs.accessSync(`${tasks}/${tids[0]}/schedstat`)
  } catch {
    return null
  }
  /** @type {Threads} */
  const threads = new Map()
  for (const tid of tids) {
    try {
      const [schedstat, status] = ['schedstat', 'status'].map((file) => fs.readFileSync(`${tasks}/${tid}/${file}`, 'latin1'))
      threads.set(tid, exports.parseThread(schedstat, status))
    } catch (error) {
      // The thread has ended meanwhile.
      if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error
    }
  }
  return threads
}

/**
 * Usage of a process between two readings. A thread that began in between counts whole, one that ended does not count.
 * @param {Threads} before
 * @param {Threads} after
 * @param {number} elapsedMs
 * @returns {{ cpuPercent: number, wakeUpsPerSecond: number }} cpuPercent: of a core
 */
exports.between = (before, after, elapsedMs) => {
  let onCpuNs = 0
  let sleeps = 0
  for (const [tid, now] of after) {
    onCpuNs += now.onCpuNs - (before.get(tid)?.onCpuNs ?? 0)
    sleeps += now.sleeps - (before.get(tid)?.sleeps ?? 0)
  }
  return { cpuPercent: onCpuNs / NS_PER_MS / elapsedMs * 100, wakeUpsPerSecond: sleeps / elapsedMs * MS_PER_S }
}
