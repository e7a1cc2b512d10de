'use strict'

const { textOf } = require('./kernel/file')
const { MS_PER_S, MS_PER_TICK } = require('./units')

/** @typedef {(pid: number, signal: 0) => unknown} Kill */

/**
 * Whether this user may signal a process, or only another; null = no process. @param {number} pid @param {Kill} [kill]
 */
exports.ownership = (pid, kill = process.kill) => {
  // 0 and below name groups of processes.
  if (!Number.isInteger(pid) || pid <= 0) return null
  try {
    kill(pid, 0)
    return 'own'
  } catch (error) {
    return /** @type {{ code?: string }} */ (error).code === 'EPERM' ? 'foreign' : null
  }
}

/** Whether there is such a process, whoever owns it. @param {number} pid @param {Kill} [kill] */
exports.isAlive = (pid, kill) => exports.ownership(pid, kill) !== null

/**
 * When the process started, in ticks since boot. The name before, in brackets, may contain anything.
 * @param {string} stat text of /proc/<pid>/stat
 */
exports.startedIn = (stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]

/** When a process started, as wall time; null if that is not known. @param {number} pid */
exports.startedAtMs = (pid) => {
  const nowMs = Date.now()
  if (pid === process.pid) return nowMs - process.uptime() * MS_PER_S
  const ticks = Number(exports.startedIn(textOf(`/proc/${pid}/stat`)))
  const uptimeMs = Number(textOf('/proc/uptime').split(' ')[0]) * MS_PER_S
  const ageMs = uptimeMs - ticks * MS_PER_TICK
  // Not a number if this is not Linux, or the process is hidden or gone.
  return Number.isFinite(ageMs) ? nowMs - ageMs : null
}
