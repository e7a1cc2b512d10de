'use strict'

const fs = require('node:fs')

/** USER_HZ, the unit of /proc/<pid>/stat, is 100 on every Linux that runs Node.js. */
const TICKS_PER_S = 100
const NS_PER_S = 1e9
const US_PER_S = 1e6
const BYTES_PER_KB = 1024
/** Fields of /proc/<pid>/stat behind the name in brackets, which may hold anything. */
const UTIME = 11
const STIME = 12
const CUTIME = 13
const CSTIME = 14
/** @type {{ cpuSeconds: number | null, peakRssBytes: number | null }} */
const NOTHING = { cpuSeconds: null, peakRssBytes: null }

/** @param {string} pid @returns {{ ownSeconds: number, reapedSeconds: number, peakRssBytes: number | null }} */
function readProcess (pid) {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ').map(Number)
  const peak = /^VmHWM:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'latin1'))
  return {
    ownSeconds: (fields[UTIME] + fields[STIME]) / TICKS_PER_S,
    reapedSeconds: (fields[CUTIME] + fields[CSTIME]) / TICKS_PER_S,
    peakRssBytes: peak === null ? null : Number(peak[1]) * BYTES_PER_KB
  }
}

/** Figures of Node.js about its own process, on every system. */
const ownUsage = () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  return { cpuSeconds: (userCPUTime + systemCPUTime) / US_PER_S, peakRssBytes: maxRSS * BYTES_PER_KB }
}

/**
 * CPU seconds and peak memory of a process with all its threads; nulls where the system does not tell,
 * which without /proc is of every process but the calling one.
 * @param {number} pid
 */
exports.processUsage = (pid) => {
  try {
    const { ownSeconds, peakRssBytes } = readProcess(`${pid}`)
    return { cpuSeconds: ownSeconds, peakRssBytes }
  } catch {
    return pid === process.pid ? ownUsage() : NOTHING
  }
}

/**
 * The same of a process with all that it has started, ended ones included: a server of many processes.
 * Peaks add up, so memory that they share counts once for each.
 * @param {number} pid
 */
exports.treeUsage = (pid) => {
  let cpuSeconds = 0
  let peakRssBytes = 0
  const pids = [`${pid}`]
  for (const each of pids) {
    try {
      const usage = readProcess(each)
      cpuSeconds += usage.ownSeconds + usage.reapedSeconds
      peakRssBytes += usage.peakRssBytes ?? 0
      for (const thread of fs.readdirSync(`/proc/${each}/task`)) {
        pids.push(...fs.readFileSync(`/proc/${each}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean))
      }
    } catch {
      // A child may end while we look; without the first there is nothing to tell.
      if (each === pids[0]) return NOTHING
    }
  }
  return { cpuSeconds, peakRssBytes }
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

/**
 * How long a thread of this process has been ready to run and had no core, s; null where the system does not tell.
 * @param {number | null} tid
 */
exports.threadWaitSeconds = (tid) => {
  try {
    return Number(fs.readFileSync(`/proc/self/task/${tid}/schedstat`, 'latin1').split(' ')[1]) / NS_PER_S
  } catch {
    return null
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

exports.ownUsage = ownUsage
