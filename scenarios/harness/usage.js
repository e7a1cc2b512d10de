'use strict'

const fs = require('node:fs')

/** USER_HZ, the unit of /proc/<pid>/stat, is 100 on every Linux that runs Node.js. */
const TICKS_PER_S = 100
const NS_PER_S = 1e9
const BYTES_PER_KB = 1024
/** Fields of /proc/<pid>/stat behind the name in brackets, which may hold anything. */
const UTIME = 11
const STIME = 12

/**
 * CPU seconds and peak memory of a process with all its threads; nulls where the system does not tell.
 * @param {number} pid
 */
exports.processUsage = (pid) => {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const peak = /^VmHWM:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'latin1'))
    return { cpuSeconds: (Number(fields[UTIME]) + Number(fields[STIME])) / TICKS_PER_S, peakRssBytes: peak === null ? null : Number(peak[1]) * BYTES_PER_KB }
  } catch {
    return { cpuSeconds: null, peakRssBytes: null }
  }
}

/**
 * CPU seconds of one thread of this process; its memory is the process's.
 * @param {number | null} tid as threadId() gives it in that thread
 */
exports.threadUsage = (tid) => {
  try {
    return { cpuSeconds: Number(fs.readFileSync(`/proc/self/task/${tid}/schedstat`, 'latin1').split(' ')[0]) / NS_PER_S, peakRssBytes: null }
  } catch {
    return { cpuSeconds: null, peakRssBytes: null }
  }
}

/** The kernel's id of the calling thread, null where it does not say. */
exports.threadId = () => {
  try {
    return Number(fs.readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch {
    return null
  }
}
