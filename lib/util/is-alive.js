'use strict'

/** @typedef {(pid: number, signal: 0) => unknown} Kill */

/** Who may signal a process: this user, or only another; null = no process. @param {number} pid @param {Kill} [kill] */
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
