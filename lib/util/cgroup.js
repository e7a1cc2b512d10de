'use strict'

const fs = require('node:fs')
const { NS_PER_MS, US_PER_MS } = require('./units')

/** Files with a cgroup's memory and its limit, of version 2, then 1. */
const MEMORY_FILES = [['memory.current', 'memory.max'], ['memory.usage_in_bytes', 'memory.limit_in_bytes']]
/** A cgroup of version 1 without a limit reports at least this much. */
const NO_LIMIT_BYTES = 2 ** 60

/** Path instead of that of a missing file. */
const NOWHERE = '/nonexistent'

/** @typedef {number | 'self'} Pid */

/**
 * Paths of files of a process's innermost cgroup that is visible and has all files of one list; none without such a
 * cgroup.
 * @param {string} controller of version 1 @param {string[][]} lists of names @param {Pid} [pid] @returns {string[]}
 */
exports.cgroupPaths = (controller, lists, pid = 'self') => {
  try {
    // A process in another container has its cgroup below its own root.
    const root = pid === 'self' ? '' : `/proc/${pid}/root`
    const folders = fs.readFileSync(`/proc/${pid}/cgroup`, 'utf8').split('\n').flatMap((line) => {
      const [, controllers, folder] = /^[0-9]+:([^:]*):(.*)$/.exec(line) ?? []
      if (controllers === '') return [folder, '']
      if (!controllers?.split(',').includes(controller)) return []
      return [`/${controllers}${folder}`, `/${controller}${folder}`, `/${controllers}`, `/${controller}`]
    })
    const all = folders.flatMap((folder) =>
      lists.map((names) => names.map((name) => `${root}/sys/fs/cgroup${folder}/${name}`)))
    return all.find((paths) => paths.every((path) => fs.existsSync(path))) ?? []
  } catch {
    // Not Linux, or /proc is hidden.
    return []
  }
}

/** A number in a file of a cgroup; null for `max`, which means no limit. @param {string | null | undefined} text */
exports.numberIn = (text) => {
  const number = Number.parseInt(text ?? '', 10)
  return Number.isNaN(number) ? null : number
}

/** The files of a process's memory and of its limit. @param {Pid} [pid] */
exports.memoryPaths = (pid) => {
  const [current = NOWHERE, limit = NOWHERE] = exports.cgroupPaths('memory', MEMORY_FILES, pid)
  return [current, limit]
}

/** @param {string | null} text of the file of the limit @returns {number | null} null without a limit */
exports.memoryLimitIn = (text) => {
  const bytes = exports.numberIn(text)
  return bytes === null || bytes >= NO_LIMIT_BYTES ? null : bytes
}

/** The file of the CPU statistics. @param {Pid} [pid] */
exports.cpuStatPath = (pid) => exports.cgroupPaths('cpu', [['cpu.stat']], pid)[0] ?? NOWHERE

/** Time in which the cgroup was out of quota. @param {string | null} cpuStat of version 2 or 1 */
exports.throttledIn = (cpuStat) => {
  if (cpuStat === null) return null
  const v2 = /^throttled_usec (\d+)/m.exec(cpuStat)
  if (v2) return Number(v2[1]) / US_PER_MS
  const v1 = /^throttled_time (\d+)/m.exec(cpuStat)
  return v1 ? Number(v1[1]) / NS_PER_MS : null
}

exports.NOWHERE = NOWHERE
